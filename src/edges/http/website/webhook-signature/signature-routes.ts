import { createHmac, timingSafeEqual } from 'node:crypto';
import { signatureToleranceS } from '../../../../contract/webhooks.ts';
import type { Route } from '../../middleware/route.ts';
import { repeatable, userPage, type WebsiteDeps } from '../page.ts';
import { type CheckVerdict, checkerPage } from './signature-page.tsx';

/** A form that says which part of the signature of a delivery is wrong. */
export const signatureRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/webhooks/check' }, ({ context }) =>
    checkerPage(context, { typed: { body: '', header: '' }, verdict: null, minutes: 0 }),
  ),
  userPage(deps, { method: 'POST', path: '/account/webhooks/check', isOnce: repeatable }, ({ context, form }) => {
    const typed = { body: form.get('body') ?? '', header: form.get('header') ?? '' };
    // A browser sends a line feed of a text field as two characters.
    const body = typed.body.replaceAll('\r\n', '\n');
    const nowS = Math.floor(deps.clock().getTime() / 1000);
    const checked = checkSignature({ ...typed, body, secret: form.get('secret') ?? '', nowS });
    return checkerPage(context, { typed, ...checked });
  }),
];

type SignatureCheck = { readonly verdict: CheckVerdict; readonly minutes: number };

type SignedBody = { readonly body: string; readonly header: string; readonly secret: string; readonly nowS: number };

/** Which part of a signed delivery is wrong. */
export const checkSignature = ({ body, header, secret, nowS }: SignedBody): SignatureCheck => {
  const parts = header
    .trim()
    .split(',')
    .map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value]) => (name === 'v1' ? [value ?? ''] : []));
  if (!/^[0-9]{1,12}$/.test(time) || signatures.length === 0) {
    return { verdict: 'malformed', minutes: 0 };
  }
  const fits = (text: string): boolean => {
    const wanted = createHmac('sha256', secret.trim()).update(`${time}.${text}`).digest();
    return signatures.some((one) => {
      const given = Buffer.from(one, 'hex');
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
  };
  const ageS = Math.abs(nowS - Number(time));
  const minutes = Math.ceil(ageS / 60);
  if (fits(body)) return { verdict: ageS > signatureToleranceS ? 'old' : 'good', minutes };
  return { verdict: fits(body.trim()) ? 'trimmed' : 'noMatch', minutes };
};
