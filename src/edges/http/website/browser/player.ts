const platform = 'https://www.youtube-nocookie.com';
/** `playerState` of the platform's player while it plays. */
const playing = 1;

/** The player that is open: what its frame told last, by the messages of the platform's player. */
let frame: HTMLIFrameElement | null = null;
let state = { currentTime: 0, playerState: playing };

const post = (message: object): void => frame?.contentWindow?.postMessage(JSON.stringify(message), platform);

addEventListener('message', ({ origin, source, data }) => {
  if (origin !== platform || frame === null || source !== frame.contentWindow) return;
  try {
    const { info } = JSON.parse(String(data));
    if (typeof info?.currentTime === 'number') state = { ...state, currentTime: info.currentTime };
    if (typeof info?.playerState === 'number') state = { ...state, playerState: info.playerState };
  } catch {
    // Not a message of the player.
  }
});

/** Commands to the open player; false: none is open. */
export const video = {
  toggle: (): boolean => {
    post({ event: 'command', func: state.playerState === playing ? 'pauseVideo' : 'playVideo', args: [] });
    return frame !== null;
  },
  skip: (seconds: number): boolean => {
    const to = Math.max(0, state.currentTime + seconds);
    post({ event: 'command', func: 'seekTo', args: [to, true] });
    state = { ...state, currentTime: to };
    return frame !== null;
  },
};

const above = document.querySelector<HTMLButtonElement>('.play');

/**
 * `<x-player>`: the player of the platform, loaded on a click only; times in the page then seek in it. Where it stands
 * below the lines, the button above them (`.play`) opens it.
 */
class Player extends HTMLElement {
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
      frame?.remove();
      frame = null;
      this.#show(false);
      opener?.focus({ preventScroll: true });
    });
    this.#show(false);
    document.addEventListener('click', (event) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#t="]');
      if (link !== null && frame !== null) this.#play(Number(link.hash.slice(3)));
    });
  }

  #play(second: number): void {
    const shown = frame ?? document.createElement('iframe');
    state = { currentTime: second, playerState: playing };
    shown.src = `${platform}/embed/${this.dataset['video'] ?? ''}?autoplay=1&enablejsapi=1&start=${second}`;
    shown.title = this.dataset['title'] ?? '';
    shown.allow = 'autoplay; fullscreen';
    shown.referrerPolicy = 'strict-origin-when-cross-origin';
    if (frame === null) {
      // It tells what it does to whom listens.
      shown.addEventListener('load', () => post({ event: 'listening' }));
      this.querySelector('.player')?.append(shown);
    }
    frame = shown;
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
