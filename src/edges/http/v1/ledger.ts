import type { z } from 'zod';
import { ledgerPageIn } from '../../../contract/account.ts';
import {
  exportEntries,
  exportMediaTypes,
  ledgerEntryAnswer,
  type ledgerPageSchema,
  ledgerProofAnswer,
  listLedger,
  readEntry,
  readProof,
} from '../../../contract/ledger.ts';
import { type LedgerProof, tlogProofText } from '../../../queries.ts';
import { bytes, inPieces, json } from '../middleware/response.ts';
import { type Application, keyRoute, type RequestInfo, type Route } from '../middleware/route.ts';

/** An account's own books. */
export const ledger = ({
  queries,
}: Application<never, 'exportLedger' | 'ledger' | 'ledgerEntry' | 'ledgerProof'>): Route[] => [
  keyRoute(listLedger, async ({ call, query }) => {
    const page = await queries.ledger(call.accountId, ledgerPageIn(query));
    const entries = page.entries.map((entry) => ledgerEntryAnswer(entry));
    return json({ entries, next_before: page.nextBefore } satisfies z.input<typeof ledgerPageSchema>);
  }),

  keyRoute(exportEntries, async ({ call, query: { format } }) => {
    const { entries, pieces } = await queries.exportLedger(call.accountId, format);
    return inPieces(pieces, {
      contentType: exportMediaTypes[format],
      headers: {
        'X-Ledger-Entries': String(entries),
        'Content-Disposition': `attachment; filename="ledger.${format}"`,
      },
    });
  }),

  keyRoute(readEntry, async ({ call, params }) => {
    return json(ledgerEntryAnswer(await queries.ledgerEntry(call.accountId, params.id)));
  }),

  keyRoute(readProof, async ({ call, params, requestInfo }) => {
    const proof = await queries.ledgerProof(call.accountId, params.id);
    if (prefersText(requestInfo)) return bytes(tlogProofText(proof), { contentType: 'text/plain; charset=utf-8' });
    return json(proofJson(proof));
  }),
];

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const proofJson = ({ entry, salt, leafHash, inclusion, ...proof }: LedgerProof) =>
  ledgerProofAnswer(proof, {
    entry: ledgerEntryAnswer(entry),
    salt: base64Of(salt),
    leaf_hash: base64Of(leafHash),
    inclusion: inclusion.map(base64Of),
  });

/** Whether the caller names text and not JSON. */
const prefersText = ({ request }: RequestInfo): boolean => /^text\/plain\b/.test(request.headers.accept ?? '');
