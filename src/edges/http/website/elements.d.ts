import 'preact';

/** Elements that `browser/site.ts` defines; without scripts they are plain containers. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      [name: `x-${string}`]: HTMLAttributes<HTMLElement>;
    }
  }
}
