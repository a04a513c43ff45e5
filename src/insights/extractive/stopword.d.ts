/** The package has no types of its own. */
declare module 'stopword' {
  export const ara: string[];
  export const deu: string[];
  export const eng: string[];
  export const fra: string[];
  export const hin: string[];
  export const ita: string[];
  export const jpn: string[];
  export const kor: string[];
  export const por: string[];
  export const ron: string[];
  export const rus: string[];
  export const spa: string[];
  export const zho: string[];
}
