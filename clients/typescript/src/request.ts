/** What every method takes as its last argument. */
export type RequestOptions = {
  /** Ends the request, its repeats too. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each answer: its headers tell the price (`X-Credits-Charged`), the language and the limits. */
  readonly onResponse?: ((response: Response) => void) | undefined;
};

/** A request of a generated method. Members that are undefined are omitted. */
export type OperationRequest = {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly path: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string | boolean | undefined>>;
};

/** Where a page says how to read on. */
export type Paging = { readonly parameter: string; readonly next: string; readonly items: string };
