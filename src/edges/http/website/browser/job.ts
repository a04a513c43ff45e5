import { writeLocally } from './local-times.ts';

const firstWaitMs = 2_000;
const longestWaitMs = 60_000;

/**
 * `<x-live data-events="URL">`: loads its own part of the page again whenever the server tells of a change, at most once a
 * second. A stream that breaks is opened again by EventSource, after its last event; one that is refused, by a server that
 * starts or is overloaded, is opened anew after a growing pause.
 */
class Live extends HTMLElement {
  #source: EventSource | null = null;
  #isWaiting = false;
  #waitMs = firstWaitMs;
  /** Of the last event, in the log. */
  #position = '';

  connectedCallback(): void {
    if (this.dataset['events'] !== undefined) this.#open(this.dataset['events']);
  }

  #open(address: string): void {
    const source = new EventSource(address);
    this.#source = source;
    for (const name of ['job', 'item']) {
      source.addEventListener(name, ({ lastEventId }) => {
        this.#position = lastEventId;
        this.#showPosition();
        this.#refresh();
      });
    }
    source.addEventListener('open', () => {
      this.#waitMs = firstWaitMs;
      if (this.classList.contains('lost')) this.#refresh();
      this.classList.remove('lost');
    });
    source.addEventListener('error', () => {
      this.classList.add('lost');
      if (source.readyState !== EventSource.CLOSED) return;
      // 204: the job is over, and the page may not have shown it yet.
      this.#refresh();
      setTimeout(() => {
        if (this.#source === source) this.#open(address);
      }, this.#waitMs);
      this.#waitMs = Math.min(2 * this.#waitMs, longestWaitMs);
    });
  }

  #refresh(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      // A server that is away is asked again with the next event.
      this.#load().catch(() => this.classList.add('lost'));
    }, 1_000);
  }

  #showPosition(): void {
    const line = this.querySelector<HTMLElement>('.live');
    if (line === null || this.#position === '') return;
    line.textContent = (line.dataset['text'] ?? '').replace('{n}', this.#position);
    line.hidden = false;
  }

  async #load(): Promise<void> {
    const text = await (await fetch(location.href)).text();
    const page = new DOMParser().parseFromString(text, 'text/html');
    const part = page.getElementById(this.id);
    if (part === null) return;
    this.replaceChildren(...part.childNodes);
    writeLocally(this);
    this.#showPosition();
    if (part.dataset['events'] !== undefined) return;
    this.#source?.close();
    this.#source = null;
    this.classList.remove('lost');
  }
}
customElements.define('x-live', Live);

/** `<x-dialog>`: opens its dialog where scripts run; without them the content stands in the page. */
class Dialog extends HTMLElement {
  connectedCallback(): void {
    const dialog = this.querySelector('dialog');
    if (dialog === null) return;
    dialog.removeAttribute('open');
    dialog.showModal();
  }
}
customElements.define('x-dialog', Dialog);
