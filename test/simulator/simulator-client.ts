import type { Simulator } from './main.ts';

export const clients = {
  android: { clientName: 'ANDROID', clientVersion: '21.03.36', hl: 'en' },
  visionos: { clientName: 'VISIONOS', clientVersion: '1.02', hl: 'en' },
  ios: { clientName: 'IOS', clientVersion: '20.11.6', hl: 'en' },
  web: { clientName: 'WEB', clientVersion: '2.20260630.03.00', hl: 'en' },
  tv: { clientName: 'TVHTML5_SIMPLY_EMBEDDED_PLAYER', clientVersion: '2.0', hl: 'en' },
} as const;

export type AskingClient = Readonly<Record<string, unknown>>;

export type Reply = { readonly status: number; readonly text: string; readonly json: unknown };

/** The value at a dotted path such as `events.0.segs`, undefined where the path ends early. */
export const at = (value: unknown, path: string): unknown => {
  let here = value;
  for (const name of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Object.entries(here).find(([key]) => key === name)?.[1];
  }
  return here;
};

/** The list at a path, empty where there is none. */
export const listAt = (value: unknown, path: string): readonly unknown[] => {
  const list = at(value, path);
  return Array.isArray(list) ? list : [];
};

export const textAt = (value: unknown, path: string): string => String(at(value, path) ?? '');

export const numberAt = (value: unknown, path: string): number => Number(at(value, path));

const reply = async (response: Response): Promise<Reply> => {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined };
};

/** Posts to a JSON endpoint of the simulated platform as one of its clients. */
export const ask = async (
  simulator: Pick<Simulator, 'origin'>,
  path: string,
  body: Readonly<Record<string, unknown>>,
  client: AskingClient = clients.android,
): Promise<Reply> =>
  reply(
    await fetch(`${simulator.origin}/youtubei/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-Host': 'www.youtube.com' },
      body: JSON.stringify({ context: { client }, ...body }),
    }),
  );

/** Follows a link of the platform's own host to the simulator, with changed parameters (null removes one). */
export const follow = async (
  simulator: Pick<Simulator, 'origin'>,
  link: string,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<Reply> => {
  const meant = new URL(link);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) meant.searchParams.delete(name);
    else meant.searchParams.set(name, value);
  }
  return reply(
    await fetch(`${simulator.origin}${meant.pathname}${meant.search}`, {
      headers: { 'X-Forwarded-Host': meant.host },
      redirect: 'manual',
    }),
  );
};
