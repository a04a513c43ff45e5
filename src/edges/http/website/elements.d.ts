import 'preact';

/** Elements that `browser/site.ts` defines; without scripts they are plain containers. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'x-copy': HTMLAttributes<HTMLElement>;
      'x-countdown': HTMLAttributes<HTMLElement>;
      'x-dialog': HTMLAttributes<HTMLElement>;
      'x-keys': HTMLAttributes<HTMLElement>;
      'x-lines': HTMLAttributes<HTMLElement>;
      'x-live': HTMLAttributes<HTMLElement>;
      'x-player': HTMLAttributes<HTMLElement>;
      'x-search': HTMLAttributes<HTMLElement>;
      'x-times': HTMLAttributes<HTMLElement>;
    }
  }
}
