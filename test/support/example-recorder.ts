import assert from 'node:assert/strict';
import { webhookKinds } from '#src/contract/webhook-events.ts';
import type { ExampleRequest, RecordedExamples } from '#src/edges/http/openapi/recorded-examples.ts';
import { endpoints } from '#src/edges/http/routes.ts';
import { signatureHeaders } from '#src/webhooks/signature.ts';
import type { TestApp } from '#test/support/app.ts';
import type { browser } from '#test/support/journey.ts';
import type { ReceivedRequest } from '#test/support/receiver.ts';
import { shortened, shownSecret, steady } from '#test/support/steady-examples.ts';

type RecordedRequest = ExampleRequest & {
  readonly status: number;
  /** Another key than that of the recorder; null: none. */
  readonly key?: string | null;
  /** The members of the answer that are shown, where not all are. */
  readonly members?: readonly string[];
  /** The address of another server than the app. */
  readonly from?: string;
  /** So many events of a stream are read, which does not end by itself. */
  readonly events?: number;
};

/** The beginning of a stream of server-sent events, up to the end of so many. */
const eventsIn = async ({ body }: Response, count: number): Promise<string> => {
  let text = '';
  const begun = new RegExp(`^(?:[^]*?^id: [^]*?\\n\\n){${count}}`, 'm');
  for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    const found = begun.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error(`the stream ended before ${count} events: ${text}`);
};

/** Sends requests to an app, and keeps each with its answer as an example of its operation. */
export const exampleRecorder = (
  app: Pick<TestApp, 'url'>,
  { key, page }: { readonly key: () => string; readonly page: ReturnType<typeof browser> },
) => {
  const operations: Record<string, { request: ExampleRequest; answers: Answers }> = {};
  const errors: Record<string, unknown> = {};
  const webhooks: Record<string, { headers: Record<string, string>; body: unknown }> = {};

  const send = (id: string, asked: RecordedRequest) => {
    const { path = {}, query = {}, headers = {}, body, key: own, from } = asked;
    const endpoint = endpoints.find((one) => one.id === id);
    assert.ok(endpoint !== undefined, `${id} is no operation`);
    const address = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? assert.fail(`${id} needs ${name}`)),
    );
    const search = new URLSearchParams(query).toString();
    const target = search === '' ? address : `${address}?${search}`;
    if (endpoint.access !== 'key' && from === undefined) {
      return page.send(endpoint.method, target, { headers, ...(body === undefined ? {} : { body }) });
    }
    const secret = own === undefined ? key() : own;
    return fetch(`${from ?? app.url}${target}`, {
      method: endpoint.method,
      headers: {
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };

  return {
    /** The answer of an operation, which must have this status; it becomes the example of its status and type. */
    show: async <Shown = unknown>(id: string, asked: RecordedRequest): Promise<Shown> => {
      const answer = await send(id, asked);
      const text = asked.events === undefined ? await answer.text() : await eventsIn(answer, asked.events);
      assert.equal(answer.status, asked.status, `${id}: ${text}`);
      const { status, key: _key, from: _from, events: _events, members, ...request } = asked;
      operations[id] ??= { request, answers: {} };
      const { answers } = operations[id];
      const type = answer.headers.get('Content-Type')?.split(';')[0];
      const shown = type === 'application/json' ? JSON.parse(text) : text;
      const part = members === undefined ? shown : picked(shown, members);
      if (type !== undefined) answers[status] = { [type]: part, ...answers[status] };
      return shown;
    },
    /** The error that an operation answers. */
    refuse: async (code: string, id: string, asked: Omit<RecordedRequest, 'status'>): Promise<void> => {
      errors[code] = await errorIn(code, await send(id, { ...asked, status: 0 }));
    },
    /** An error that another server than the app answered. */
    refused: async (code: string, answer: Response | Promise<Response>): Promise<void> => {
      errors[code] = await errorIn(code, await answer);
    },
    /** A delivery, as its receiver got it. */
    deliver: ({ headers, body, json }: ReceivedRequest): void => {
      const own = Object.entries(headers).filter(([name]) =>
        /^(content-type|user-agent|webhook-.+|x-service-signature)$/.test(name),
      );
      webhooks[json.type] ??= {
        headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
        body: JSON.parse(body),
      };
    },
    /** What was recorded, in the order of the description, without anything that differs from run to run. */
    recorded: (replaced: Readonly<Record<string, string>>): RecordedExamples => {
      const inOrder = endpoints.flatMap(({ id }) => {
        const one = operations[id];
        return one === undefined ? [] : [[id, one] as const];
      });
      // Webhooks come first, so that the samples in the documents keep their ids when an operation is added.
      // Those of jobs first, as the contract lists the kinds.
      const told = Object.fromEntries(webhookKinds.flatMap((kind) => (webhooks[kind] ? [[kind, webhooks[kind]]] : [])));
      const all = { webhooks: told, operations: Object.fromEntries(inOrder), errors };
      const recorded = steady(shortened(all), replaced) as RecordedExamples;
      return {
        operations: recorded.operations,
        errors: sorted(recorded.errors),
        webhooks: signedAnew(recorded.webhooks),
      };
    },
  };
};

type Answers = Record<string, Record<string, unknown>>;

const picked = (value: object, names: readonly string[]): unknown =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));

const sorted = <Value>(table: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(table).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Deliveries with the signatures of the bodies that are shown, under a secret that is known. */
const signedAnew = (webhooks: RecordedExamples['webhooks']): RecordedExamples['webhooks'] =>
  Object.fromEntries(
    Object.entries(webhooks).map(([type, { headers, body }]) => {
      const signed = signatureHeaders({
        id: headers['webhook-id'] ?? '',
        timestampS: Date.parse(Reflect.get(Object(body), 'timestamp')) / 1_000,
        body: JSON.stringify(body),
        secrets: [shownSecret],
      });
      return [type, { headers: { ...headers, ...signed }, body }];
    }),
  );

const errorIn = async (code: string, answer: Response): Promise<unknown> => {
  const body = (await answer.json()) as { error?: { code: string } };
  assert.equal(body.error?.code, code);
  return { error: body.error };
};
