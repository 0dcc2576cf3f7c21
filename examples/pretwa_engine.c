/* An engine for Pretwa in one file of C: it speaks the Universal Game Interface, as docs/play.md describes it.

       cc -O2 -o pretwa_engine examples/pretwa_engine.c
       ./pretwa_engine            a search of two plies
       ./pretwa_engine random     a turn at random
       ./pretwa_engine random 7   the same with a seed

   It takes four parts to write one for another game: the board as triples of points in a row, the list of turns, the
   text of positions and turns, and the loop over commands. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = 19, MOST_TRIPLES = 80, MOST_TURNS = 4096, MOST_PATH = 12, QUIET_LIMIT = 50, WIN = 10000 };

typedef struct {
    unsigned pieces[2]; /* a bit a point, South and North */
    int player;
    int quiet; /* turns in a row without a capture */
    int chain; /* the piece that must go on capturing, or -1 */
} Position;

typedef struct {
    int path[MOST_PATH];
    int length;
    bool captures;
    Position after;
} Turn;

/* The board: the centre, then three circles of six points; radius a points South. */

static int triples[MOST_TRIPLES][3]; /* neighbours in a row, in both directions */
static int num_triples;
static bool joined[POINTS][POINTS];

static int point_of(int radius, int circle) { return 1 + 6 * circle + radius % 6; }

static void add_row(int first, int over, int last) {
    int ends[2] = {first, last};
    for (int way = 0; way < 2; way++) {
        int *triple = triples[num_triples++];
        triple[0] = ends[way], triple[1] = over, triple[2] = ends[1 - way];
        joined[ends[way]][over] = joined[over][ends[way]] = true;
    }
}

static void make_board(void) {
    for (int radius = 0; radius < 6; radius++) {
        for (int circle = 0; circle < 3; circle++)
            add_row(point_of(radius, circle), point_of(radius + 1, circle), point_of(radius + 2, circle));
        add_row(point_of(radius, 0), point_of(radius, 1), point_of(radius, 2));
        add_row(0, point_of(radius, 0), point_of(radius, 1));
    }
    for (int radius = 0; radius < 3; radius++) add_row(point_of(radius, 0), 0, point_of(radius + 3, 0));
}

static void write_point(char *text, int point) {
    text[0] = point ? "abcdef"[(point - 1) % 6] : 'o';
    text[1] = point ? "123"[(point - 1) / 6] : '0';
}

static int read_point(const char *text) {
    if (text[0] == 'o' && text[1] == '0') return 0;
    if (text[0] < 'a' || text[0] > 'f' || text[1] < '1' || text[1] > '3') return -1;
    return point_of(text[0] - 'a', text[1] - '1');
}

/* The rules: captures are compulsory, and so is going on with them; any direction. */

static bool has(unsigned pieces, int point) { return pieces >> point & 1; }

static void add_turn(Turn *turns, int *count, const Turn *turn) {
    if (*count < MOST_TURNS) {
        turns[*count] = *turn;
        turns[*count].after.player = 1 - turn->after.player;
        turns[*count].after.chain = -1;
        (*count)++;
    }
}

static void add_captures(Turn *turns, int *count, const Turn *begun, int from) {
    const Position *now = &begun->after;
    unsigned own = now->pieces[now->player], enemy = now->pieces[1 - now->player];
    bool goes_on = false;
    for (int i = 0; i < num_triples; i++) {
        int over = triples[i][1], to = triples[i][2];
        if (triples[i][0] != from || !has(enemy, over) || has(own | enemy, to)) continue;
        Turn next = *begun;
        next.after.pieces[now->player] = (own & ~(1u << from)) | 1u << to;
        next.after.pieces[1 - now->player] = enemy & ~(1u << over);
        next.after.quiet = 0;
        next.path[next.length++] = to;
        next.captures = goes_on = true;
        add_captures(turns, count, &next, to);
    }
    if (!goes_on && begun->captures) add_turn(turns, count, begun);
}

/* The legal turns of the player to move, who has lost without one. */
static int list_turns(const Position *position, Turn *turns) {
    int count = 0;
    unsigned own = position->pieces[position->player], all = own | position->pieces[1 - position->player];
    for (int from = 0; from < POINTS; from++) {
        Turn begun = {.path = {from}, .length = 1, .after = *position};
        if (has(own, from) && (position->chain < 0 || position->chain == from)) add_captures(turns, &count, &begun, from);
    }
    for (int from = 0; from < POINTS && (count == 0 || !turns[0].captures); from++)
        for (int to = 0; to < POINTS; to++) {
            if (!has(own, from) || !joined[from][to] || has(all, to)) continue;
            Turn turn = {.path = {from, to}, .length = 2, .after = *position};
            turn.after.pieces[position->player] = (own & ~(1u << from)) | 1u << to;
            turn.after.quiet++;
            add_turn(turns, &count, &turn);
        }
    return count;
}

/* The text of turns and positions. */

static void write_turn(char *text, const Turn *turn) {
    for (int i = 0; i < turn->length; i++) {
        write_point(text, turn->path[i]);
        text += 2;
        *text++ = i + 1 < turn->length ? (turn->captures ? 'x' : '-') : '\0';
    }
}

static bool read_pieces(const char *text, unsigned *pieces) {
    *pieces = 0;
    for (; *text; text += text[2] == ',' ? 3 : 2) {
        int point = read_point(text);
        if (point < 0 || (text[2] && text[2] != ',')) return false;
        *pieces |= 1u << point;
    }
    return true;
}

/* Reads text such as W:Wa1,b1:Bd2:H4, with the count of quiet turns after H and a piece in a chain after C. */
static bool read_position(char *text, Position *position) {
    Position read = {.player = text[0] == 'B', .chain = -1};
    if ((text[0] != 'W' && text[0] != 'B') || text[1] != ':') return false;
    for (char *field = text + 2, *end; field; field = end) {
        if ((end = strchr(field, ':'))) *end++ = '\0';
        if (*field == 'W' || *field == 'B') {
            if (!read_pieces(field + 1, &read.pieces[*field == 'B'])) return false;
        } else if (*field == 'H') {
            read.quiet = atoi(field + 1);
        } else if (*field == 'C') {
            if ((read.chain = read_point(field + 1)) < 0) return false;
        } else {
            return false;
        }
    }
    if (read.pieces[0] & read.pieces[1]) return false;
    *position = read;
    return true;
}

static Position start(void) {
    Position position = {.chain = -1};
    for (int circle = 0; circle < 3; circle++)
        for (int radius = 0; radius < 6; radius++)
            position.pieces[radius > 1 && radius < 5] |= 1u << point_of(radius, circle);
    return position;
}

/* The players. */

static int count_bits(unsigned bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

static int men_ahead(const Position *position, int player) {
    return count_bits(position->pieces[player]) - count_bits(position->pieces[1 - player]);
}

/* The worst for the player of a turn after each answer, in men; *nodes counts the positions. */
static int value_of(const Turn *turn, int player, long *nodes) {
    static Turn answers[MOST_TURNS];
    int count = list_turns(&turn->after, answers), worst = WIN;
    *nodes += 1 + count;
    if (count == 0) return WIN;
    if (turn->after.quiet >= QUIET_LIMIT) return 0;
    for (int i = 0; i < count; i++) {
        int value = men_ahead(&answers[i].after, player);
        if (!answers[i].after.pieces[player]) value = -WIN;
        if (value < worst) worst = value;
    }
    return worst;
}

static const Turn *choose(const Turn *turns, int count, int player, bool at_random) {
    if (at_random) return &turns[rand() % count];
    int best = -WIN - 1, ties = 0, chosen = 0;
    long nodes = 0;
    for (int i = 0; i < count; i++) {
        int value = value_of(&turns[i], player, &nodes);
        if (value > best) best = value, ties = 0;
        if (value == best && rand() % ++ties == 0) chosen = i;
    }
    char text[3 * MOST_PATH];
    write_turn(text, &turns[chosen]);
    if (abs(best) == WIN) printf("info depth 2 score mate %d nodes %ld pv %s\n", best > 0 ? 1 : -2, nodes, text);
    else printf("info depth 2 score cp %d nodes %ld pv %s\n", 100 * best, nodes, text);
    return &turns[chosen];
}

/* The commands. */

static Turn turns[MOST_TURNS];

static void query(const Position *position, const char *what) {
    int count = list_turns(position, turns);
    bool over = !count || position->quiet >= QUIET_LIMIT;
    if (what && !strcmp(what, "gameover")) printf("response %s\n", over ? "true" : "false");
    else if (what && !strcmp(what, "p1turn")) printf("response %s\n", position->player ? "false" : "true");
    else if (!what || strcmp(what, "result")) puts("info string error: query needs gameover, p1turn or result");
    else if (!over) puts("response none");
    else if (count) puts("response draw");
    else printf("response p%dwin\n", 2 - position->player);
}

/* position startpos, or position fen TEXT, with moves TURN ...; what is wrong changes nothing. */
static void set_position(Position *position, char *rest) {
    Position read = start();
    char *word = rest ? strtok(rest, " ") : NULL, *moves;
    if (word && !strcmp(word, "fen")) {
        char *text = strtok(NULL, " ");
        if (!text || !read_position(text, &read)) {
            puts("info string error: fen needs the text of a position");
            return;
        }
    } else if (!word || strcmp(word, "startpos")) {
        puts("info string error: position needs startpos or fen");
        return;
    }
    for (moves = strtok(NULL, " "); moves && (word = strtok(NULL, " "));) {
        int count = list_turns(&read, turns), i = 0;
        char text[3 * MOST_PATH];
        for (; i < count; i++) {
            write_turn(text, &turns[i]);
            if (!strcmp(text, word)) break;
        }
        if (i == count) {
            printf("info string error: %s is no legal turn\n", word);
            return;
        }
        read = turns[i].after;
    }
    *position = read;
}

int main(int argc, char **argv) {
    static char line[1 << 20];
    bool at_random = argc > 1 && !strcmp(argv[1], "random"), waits = false;
    char best[3 * MOST_PATH] = "none";
    Position position = start();
    srand(argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)time(NULL));
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_board();
    while (fgets(line, sizeof line, stdin)) {
        bool infinite = strstr(line, "infinite");
        char *command = strtok(line, " \r\n"), *rest = command ? strtok(NULL, "\r\n") : NULL;
        if (!command) continue;
        if (!strcmp(command, "quit")) break;
        if (!strcmp(command, "ugi")) puts("id name Two plies\nid author the authors of alquerque-env\nugiok");
        else if (!strcmp(command, "isready")) puts("readyok");
        else if (!strcmp(command, "query")) query(&position, rest);
        else if (!strcmp(command, "stop")) {
            if (waits) printf("bestmove %s\n", best);
            waits = false;
        } else if (waits) printf("info string error: %s is refused during a search; send stop first\n", command);
        else if (!strcmp(command, "uginewgame")) position = start();
        else if (!strcmp(command, "position")) set_position(&position, rest);
        else if (!strcmp(command, "go")) {
            int count = position.quiet < QUIET_LIMIT ? list_turns(&position, turns) : 0;
            strcpy(best, "none");
            if (count) write_turn(best, choose(turns, count, position.player, at_random));
            waits = infinite && count;
            if (!waits) printf("bestmove %s\n", best);
        } else if (!strcmp(command, "setoption")) {
            if (rest && !strncmp(rest, "name Game value ", 16) && strcmp(rest + 16, "pretwa"))
                puts("info string error: this engine plays pretwa alone, by its default rules");
        } else printf("info string error: no command %s\n", command);
    }
    return 0;
}
