/** `<x-times>`: its checkbox shows or hides the times at once, without asking the server. */
class Times extends HTMLElement {
  connectedCallback(): void {
    const box = this.querySelector('input');
    box?.addEventListener('change', () => {
      // Nothing is left to apply.
      box.toggleAttribute('checked', box.checked);
      document.getElementById('transcript')?.classList.toggle('no-times', !box.checked);
      const address = new URL(location.href);
      address.searchParams.set('timestamps', String(box.checked));
      history.replaceState(null, '', address);
    });
  }
}
customElements.define('x-times', Times);
