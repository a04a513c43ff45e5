import { type AsyncHook, createHook } from 'node:async_hooks';

/** What the test runner follows a thread with. */
export type Following = {
  readonly goOn: () => void;
  readonly rest: () => void;
};

/**
 * The test runner follows each promise, timer and socket of its thread to the test that made it: that is a seventh of what
 * the tests cost. While a file is loaded it tells by this to which suite a test belongs. While tests run it only tells
 * which of them made an error that nobody caught.
 *
 * Calls `begin`, with which the runner begins to follow, and gives what stops it and sets it going again.
 */
export const followingFrom = (begin: () => void): Following => {
  const hooks: AsyncHook[] = [];
  const prototype: AsyncHook = Object.getPrototypeOf(createHook({}));
  const { enable } = prototype;
  prototype.enable = function (this: AsyncHook) {
    hooks.push(this);
    return enable.call(this);
  };
  try {
    begin();
  } finally {
    prototype.enable = enable;
  }
  return {
    goOn: () => {
      for (const hook of hooks) hook.enable();
    },
    rest: () => {
      for (const hook of hooks) hook.disable();
    },
  };
};
