/** Every place of a text in the lines, in the order of the page; at most 2,000. */
const rangesOf = (list: Element, wanted: string): Range[] => {
  const found: Range[] = [];
  const needle = wanted.toLowerCase();
  for (const line of list.querySelectorAll('p')) {
    const node = line.firstChild;
    const text = node?.textContent?.toLowerCase() ?? '';
    if (node === null) continue;
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
      const range = new Range();
      // Lower case can be longer than the text it came from (İ).
      const length = node.textContent?.length ?? 0;
      range.setStart(node, Math.min(at, length));
      range.setEnd(node, Math.min(at + needle.length, length));
      found.push(range);
      if (found.length === 2_000) return found;
    }
  }
  return found;
};

/**
 * `<x-search>`: marks what is typed wherever it stands in the transcript, by the CSS Custom Highlight API: the
 * document itself stays as it is. Enter goes to the next place, Shift+Enter to the one before.
 */
class Search extends HTMLElement {
  #ranges: Range[] = [];
  #current = -1;

  connectedCallback(): void {
    const input = this.querySelector<HTMLInputElement>('input[type=search]');
    const list = document.getElementById('transcript');
    if (input === null || list === null || !('highlights' in CSS)) return;
    input.addEventListener('input', () => {
      const wanted = input.value.trim();
      this.#ranges = wanted === '' ? [] : rangesOf(list, wanted);
      this.#current = -1;
      CSS.highlights.set('hit', new Highlight(...this.#ranges));
      this.#go(0, wanted !== '');
    });
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || this.#ranges.length === 0) return;
      event.preventDefault();
      this.#go(this.#current + (event.shiftKey ? -1 : 1), true);
    });
  }

  #go(to: number, isAsked: boolean): void {
    const total = this.#ranges.length;
    const output = this.querySelector('output');
    CSS.highlights.delete('current-hit');
    if (total === 0) {
      if (output !== null) output.value = isAsked ? (this.dataset['none'] ?? '') : '';
      return;
    }
    this.#current = (to + total) % total;
    const range = this.#ranges[this.#current];
    if (range === undefined) return;
    CSS.highlights.set('current-hit', new Highlight(range));
    range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
    if (output !== null) {
      output.value = (this.dataset['hits'] ?? '')
        .replace('{n}', String(this.#current + 1))
        .replace('{total}', String(total));
    }
  }
}
customElements.define('x-search', Search);
