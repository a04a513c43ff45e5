/** `<x-countdown data-seconds data-text>`: counts down to when the page may be asked for again. */
class Countdown extends HTMLElement {
  connectedCallback(): void {
    let left = Number(this.dataset['seconds'] ?? 0);
    const timer = setInterval(() => {
      left = Math.max(0, left - 1);
      this.textContent = (this.dataset['text'] ?? '').replace('{seconds}', String(left));
      if (left === 0) clearInterval(timer);
    }, 1_000);
  }
}
customElements.define('x-countdown', Countdown);
