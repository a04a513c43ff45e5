/** Lets a button copy a text, and say so for a moment. `textOf`: null: there is nothing to copy. */
export const copyOnClick = (button: HTMLButtonElement, done: string, textOf: () => string | null): void => {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    const text = textOf();
    if (text === null) return;
    await navigator.clipboard.writeText(text);
    button.textContent = done;
    setTimeout(() => {
      button.textContent = label;
    }, 1_500);
  });
};
