const above = document.querySelector<HTMLButtonElement>('.play');

/**
 * `<x-player>`: the player of the platform, loaded on a click only; times in the page then seek in it. Where it stands
 * below the lines, the button above them (`.play`) opens it.
 */
class Player extends HTMLElement {
  #frame: HTMLIFrameElement | null = null;

  connectedCallback(): void {
    this.hidden = false;
    const [beside, close] = this.querySelectorAll('button');
    let opener: HTMLButtonElement | null = null;
    for (const play of [beside, above]) {
      play?.addEventListener('click', () => {
        opener = play ?? null;
        this.#play(0);
        // The button that had the focus is hidden now; from the one above, this one would be all lines away.
        close?.focus({ preventScroll: true });
      });
    }
    close?.addEventListener('click', () => {
      this.#frame?.remove();
      this.#frame = null;
      this.#show(false);
      opener?.focus({ preventScroll: true });
    });
    this.#show(false);
    document.addEventListener('click', (event) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#t="]');
      if (link !== null && this.#frame !== null) this.#play(Number(link.hash.slice(3)));
    });
  }

  #play(second: number): void {
    const frame = this.#frame ?? document.createElement('iframe');
    const video = this.dataset['video'] ?? '';
    frame.src = `https://www.youtube-nocookie.com/embed/${video}?autoplay=1&start=${second}`;
    frame.title = this.dataset['title'] ?? '';
    frame.allow = 'autoplay; fullscreen';
    frame.referrerPolicy = 'strict-origin-when-cross-origin';
    if (this.#frame === null) this.querySelector('.player')?.append(frame);
    this.#frame = frame;
    this.#show(true);
  }

  #show(isPlaying: boolean): void {
    for (const button of this.querySelectorAll('button')) {
      button.hidden = button.className === 'close' ? !isPlaying : isPlaying;
    }
    if (above !== null) above.hidden = isPlaying;
  }
}
customElements.define('x-player', Player);
