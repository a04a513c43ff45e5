/** `<x-live data-events="URL">`: loads its own part of the page again whenever the server tells of a change, at most once a second. */
class Live extends HTMLElement {
  connectedCallback(): void {
    const address = this.dataset['events'];
    if (address === undefined) return;
    const source = new EventSource(address);
    let isWaiting = false;
    const refresh = (): void => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(async () => {
        isWaiting = false;
        const text = await (await fetch(location.href)).text();
        const page = new DOMParser().parseFromString(text, 'text/html');
        const part = page.getElementById(this.id);
        if (part === null) return;
        this.replaceChildren(...part.childNodes);
        if (part.dataset['events'] === undefined) source.close();
      }, 1_000);
    };
    for (const name of ['message', 'job', 'item', 'progress', 'done', 'end']) {
      source.addEventListener(name, refresh);
    }
    source.addEventListener('open', () => this.classList.remove('lost'));
    source.addEventListener('error', () => this.classList.add('lost'));
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
