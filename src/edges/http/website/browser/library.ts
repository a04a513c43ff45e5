/** Typing goes on for so long before the next search. */
const pauseMs = 250;

/** `<x-library>`: searches the library while somebody types. It asks for the page that the form would open, and shows its passages. */
class Library extends HTMLElement {
  #timer = 0;
  #last: AbortController | null = null;

  connectedCallback(): void {
    const form = this.querySelector('form');
    form?.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => void this.#search(form), pauseMs);
    });
  }

  async #search(form: HTMLFormElement): Promise<void> {
    this.#last?.abort();
    const asked = new AbortController();
    this.#last = asked;
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') url.searchParams.set(name, value);
    const html = await fetch(url, { signal: asked.signal })
      .then((answer) => (answer.ok ? answer.text() : null))
      .catch(() => null);
    // What could not be asked leaves what is shown; the button of the form says why.
    const found = html === null ? null : new DOMParser().parseFromString(html, 'text/html').getElementById('found');
    if (found !== null) document.getElementById('found')?.replaceWith(document.adoptNode(found));
  }
}

customElements.define('x-library', Library);
