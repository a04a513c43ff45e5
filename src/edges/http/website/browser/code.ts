import { copyOnClick } from './copy-button.ts';

/** A button over each block of code that copies it. The page says what it is called. */
const { copy = '', copied = '' } = document.getElementById('main')?.dataset ?? {};

for (const block of document.querySelectorAll<HTMLElement>('main pre:has(> code:not([id]))')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet code-copy';
  button.textContent = copy;
  copyOnClick(button, `✓ ${copied}`, () => block.textContent);
  block.before(button);
}
