import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Answer } from './answers.ts';
import type { FaultKind } from './faults.ts';
import { captchaPage, consentPage, sorryPage } from './pages.ts';

/** Whether the client accepts gzip, and a signal that aborts when it disconnects. */
export type Receiver = { readonly takesGzip: boolean; readonly signal: AbortSignal };

const send = (response: ServerResponse, answer: Answer, receiver: Receiver): void => {
  const body = Buffer.from(answer.body);
  const isZipped = receiver.takesGzip && body.length > 1024;
  const bytes = isZipped ? gzipSync(body, { level: 1 }) : body;
  response.writeHead(answer.status, {
    'Content-Type': answer.contentType,
    'Content-Length': bytes.length,
    Vary: 'Origin, X-Origin, Referer',
    ...answer.headers,
    ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
  });
  response.end(bytes);
};

const pageOf = (page: 'sorry' | 'captcha' | 'consent'): string => {
  if (page === 'sorry') return sorryPage;
  return page === 'captcha' ? captchaPage : consentPage('https://www.youtube.com/');
};

const drip = async (
  response: ServerResponse,
  answer: Answer,
  pace: { readonly bytes: number; readonly everyMs: number },
  receiver: Receiver,
): Promise<void> => {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { 'Content-Type': answer.contentType });
  for (let from = 0; from < body.length && !receiver.signal.aborted; from += pace.bytes) {
    response.write(body.subarray(from, from + pace.bytes));
    await wait(pace.everyMs, undefined, { signal: receiver.signal }).catch(() => undefined);
  }
  response.end();
};

const pour = async (
  response: ServerResponse,
  answer: Answer,
  size: { readonly bytes: number; readonly isCompressed: boolean },
  receiver: Receiver,
): Promise<void> => {
  const head = { 'Content-Type': answer.contentType };
  if (size.isCompressed) {
    response.writeHead(200, { ...head, 'Content-Encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(size.bytes, 0x20), { level: 9 }));
    return;
  }
  response.writeHead(200, head);
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  for (let sent = 0; sent < size.bytes && !receiver.signal.aborted; sent += chunk.length) {
    if (response.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        receiver.signal.removeEventListener('abort', done);
        resolve();
      };
      response.on('drain', done);
      receiver.signal.addEventListener('abort', done);
    });
  }
  response.end();
};

const silence = async (receiver: Receiver): Promise<void> => {
  if (receiver.signal.aborted) return;
  await new Promise<void>((resolve) => {
    receiver.signal.addEventListener('abort', () => resolve(), { once: true });
  });
};

/** Sends the answer, or the planned fault instead. */
export const deliver = async (
  response: ServerResponse,
  answer: Answer,
  fault: FaultKind | null,
  receiver: Receiver,
): Promise<void> => {
  const cut = Buffer.from(answer.body);
  switch (fault?.kind) {
    case 'status': {
      if (fault.retryAfter !== undefined) response.setHeader('Retry-After', String(fault.retryAfter));
      const contentType = fault.contentType ?? 'text/html; charset=utf-8';
      send(response, { status: fault.status, contentType, body: fault.body ?? '' }, receiver);
      return;
    }
    case 'html': {
      const status = fault.status ?? (fault.page === 'consent' ? 200 : 429);
      const contentType = 'text/html; charset=utf-8';
      send(response, { status, contentType, body: pageOf(fault.page) }, receiver);
      return;
    }
    case 'redirect':
      response.writeHead(302, {
        Location: fault.location ?? 'https://www.google.com/sorry/index?continue=x',
        'Content-Type': 'text/html; charset=utf-8',
      });
      response.end(sorryPage);
      return;
    case 'json':
      send(
        response,
        { status: 200, contentType: 'application/json; charset=UTF-8', body: JSON.stringify(fault.body) },
        receiver,
      );
      return;
    case 'empty':
      send(response, { ...answer, status: 200, body: '' }, receiver);
      return;
    case 'truncated': {
      const part = cut.subarray(0, fault.bytes ?? Math.floor(cut.length / 2));
      response.writeHead(200, { 'Content-Type': answer.contentType });
      response.end(part);
      return;
    }
    case 'cut': {
      const part = cut.subarray(0, fault.bytes ?? Math.floor(cut.length / 2));
      response.writeHead(200, { 'Content-Type': answer.contentType, 'Content-Length': cut.length + 1 });
      response.write(part, () => response.socket?.destroy());
      return;
    }
    case 'silence':
      return silence(receiver);
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'drip':
      return drip(response, answer, fault, receiver);
    case 'huge':
      return pour(
        response,
        answer,
        { bytes: fault.bytes ?? 50 * 1024 * 1024, isCompressed: fault.isCompressed ?? false },
        receiver,
      );
    case 'delay':
    case 'other_video':
    case undefined:
      send(response, answer, receiver);
      return;
  }
};
