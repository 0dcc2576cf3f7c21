// Tasks that may fail, and time.

// The result of a task, or another value if it fails.
export function attempt(task, otherwise = null) {
  try {
    return task();
  } catch {
    return otherwise;
  }
}

// Runs a task and tells its error; before it, "".
export async function telling(tell, task) {
  tell("");
  try {
    await task();
  } catch (error) {
    tell(error.message);
  }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
