import { copyOnClick } from './copy-button.ts';

/** Texts of the lines as they are shown: with their times where times are shown. */
const textOf = (list: Element): string => {
  const hasTimes = !list.classList.contains('no-times');
  return [...list.querySelectorAll('li, :scope > .row')]
    .map((row) => {
      const text = (row.querySelector('p')?.textContent ?? '').replace(/\s+/g, ' ').trim();
      const time = row.querySelector(':scope > a')?.textContent ?? '';
      return hasTimes && time !== '' ? `[${time}] ${text}` : text;
    })
    .join('\n');
};

/** `<x-copy data-what="ID">`: its button copies the text of an element; of a transcript what is seen. */
class Copy extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    const button = this.querySelector('button');
    if (button === null) return;
    copyOnClick(button, `✓ ${this.dataset['done'] ?? button.textContent}`, () => {
      const source = document.getElementById(this.dataset['what'] ?? '');
      return source?.matches('.cues, .paragraphs') ? textOf(source) : (source?.textContent ?? null);
    });
  }
}
customElements.define('x-copy', Copy);

/** One button for all lines of a transcript: it stands in the line under the pointer, or in the one with the focus. */
const list = document.querySelector<HTMLElement>('.cues[data-copy]');
if (list !== null) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet line-copy';
  // Empty: the style draws its symbol, which few fonts have.
  button.title = list.dataset['copy'] ?? '';
  button.setAttribute('aria-label', button.title);
  const showIn = (event: Event): void => {
    const row = (event.target as Element).closest('li');
    if (row !== null && button.parentElement !== row) row.append(button);
  };
  list.addEventListener('pointerover', showIn);
  list.addEventListener('focusin', showIn);
  copyOnClick(button, '✓', () => {
    const row = button.parentElement;
    const text = row?.querySelector('p')?.textContent ?? '';
    const at = row?.querySelector('a');
    const place = at?.getAttribute('href') ?? '';
    // The server sees the second in the query, browsers go to the one in the fragment.
    const link = `${list.dataset['url'] ?? ''}${place.slice(3)}${place}`;
    return `${text} [${at?.textContent ?? ''}] ${link}`;
  });
}
