import serverFeatures from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Certificate } from './certificates.ts';

export type KeptEvent = {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: unknown;
  readonly metadata: unknown;
};

type Expected = bigint | 'any' | 'no_stream' | 'stream_exists';
type Proposed = InstanceType<
  typeof streamsPb.AppendReq.ProposedMessage | typeof streamsPb.BatchAppendReq.ProposedMessage
>;

/**
 * A server of the protocol of KurrentDB, made from the definitions of its client: append, append in batches and read, in
 * memory. It decides about expected revisions and repeats as KurrentDB does. `hasBatches`: it offers appends in batches.
 */
export const kurrentServer = async ({
  hasBatches = true,
  certificate = null,
  login = null,
}: {
  readonly hasBatches?: boolean;
  readonly certificate?: Certificate | null;
  /** `user:password` that every call must have. */
  readonly login?: string | null;
} = {}) => {
  const streams = new Map<string, KeptEvent[]>();
  const order: { readonly stream: string; readonly id: string }[] = [];
  const state = { lostAnswers: 0, storedOfNext: Number.POSITIVE_INFINITY, appends: 0, isSilent: false };

  /** The new revision, or null where the expected one is wrong. */
  const append = (stream: string, expected: Expected, events: readonly KeptEvent[]): bigint | null => {
    state.appends += 1;
    const kept = streams.get(stream) ?? [];
    const at = expected === 'no_stream' ? 0n : typeof expected === 'bigint' ? expected + 1n : BigInt(kept.length);
    if (at < BigInt(kept.length)) {
      const there = kept.slice(Number(at), Number(at) + events.length);
      const isRepeat = there.length === events.length && there.every(({ id }, n) => id === events[n]?.id);
      return isRepeat ? at + BigInt(events.length) - 1n : null;
    }
    if (at > BigInt(kept.length)) return null;
    const stored = events.slice(0, state.storedOfNext);
    state.storedOfNext = Number.POSITIVE_INFINITY;
    streams.set(stream, [...kept, ...stored]);
    order.push(...stored.map(({ id }) => ({ stream, id })));
    return at + BigInt(stored.length) - 1n;
  };

  const isKnown = (metadata: Metadata): boolean =>
    login === null || metadata.get('authorization')[0] === `Basic ${Buffer.from(login).toString('base64')}`;
  const unknown = { code: status.UNAUTHENTICATED, details: 'who is this?' };
  const lost = { code: status.UNAVAILABLE, details: 'the connection is lost' };
  const losesAnswer = (): boolean => {
    if (state.lostAnswers === 0) return false;
    state.lostAnswers -= 1;
    return true;
  };

  const handlers = {
    append: (
      call: ServerReadableStream<streamsPb.AppendReq, streamsPb.AppendResp>,
      answer: sendUnaryData<streamsPb.AppendResp>,
    ) => {
      if (!isKnown(call.metadata)) return answer(unknown);
      let options: streamsPb.AppendReq.Options | undefined;
      const events: KeptEvent[] = [];
      call.on('data', (request: streamsPb.AppendReq) => {
        options ??= request.getOptions();
        const proposed = request.getProposedMessage();
        if (proposed !== undefined) events.push(keptOf(proposed));
      });
      call.on('end', () => {
        if (state.isSilent) return;
        const expected = options?.hasNoStream() ? 'no_stream' : BigInt(options?.getRevision() ?? '0');
        const stream = nameOf(options?.getStreamIdentifier());
        const revision = append(stream, options?.hasAny() ? 'any' : expected, events);
        if (losesAnswer()) return answer(lost);
        const response = new streamsPb.AppendResp();
        if (revision === null) {
          const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
          const { length = 0 } = streams.get(stream) ?? [];
          if (length === 0) wrong.setCurrentNoStream(new shared.Empty());
          else wrong.setCurrentRevision(String(length - 1));
          response.setWrongExpectedVersion(wrong);
        } else {
          const success = new streamsPb.AppendResp.Success();
          success.setCurrentRevision(String(revision));
          response.setSuccess(success);
        }
        answer(null, response);
      });
    },

    batchAppend: (call: ServerDuplexStream<streamsPb.BatchAppendReq, streamsPb.BatchAppendResp>) => {
      if (!isKnown(call.metadata)) return void call.emit('error', unknown);
      const open = new Map<string, { options: streamsPb.BatchAppendReq.Options | undefined; events: KeptEvent[] }>();
      call.on('data', (request: streamsPb.BatchAppendReq) => {
        if (state.isSilent) return;
        const id = idOf(request.getCorrelationId());
        const batch = open.get(id) ?? { options: request.getOptions(), events: [] };
        open.set(id, batch);
        batch.events.push(...request.getProposedMessagesList().map(keptOf));
        if (!request.getIsFinal()) return;
        open.delete(id);
        const { options, events } = batch;
        const stream = nameOf(options?.getStreamIdentifier());
        const expected = options?.hasNoStream() ? 'no_stream' : BigInt(options?.getStreamPosition() ?? '0');
        const revision = append(stream, options?.hasAny() ? 'any' : expected, events);
        if (losesAnswer()) return void call.emit('error', lost);
        const response = new streamsPb.BatchAppendResp();
        response.setCorrelationId(request.getCorrelationId());
        response.setStreamIdentifier(options?.getStreamIdentifier());
        if (revision === null) {
          const wrong = new shared.WrongExpectedVersion();
          const { length = 0 } = streams.get(stream) ?? [];
          if (length === 0) wrong.setCurrentNoStream(new empty.Empty());
          else wrong.setCurrentStreamRevision(String(length - 1));
          const details = new anyPb.Any();
          details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
          const refusal = new statusPb.Status();
          refusal.setDetails(details);
          response.setError(refusal);
        } else {
          const success = new streamsPb.BatchAppendResp.Success();
          success.setCurrentRevision(String(revision));
          response.setSuccess(success);
        }
        call.write(response);
      });
      call.on('end', () => call.end());
    },

    read: (call: ServerWritableStream<streamsPb.ReadReq, streamsPb.ReadResp>) => {
      if (!isKnown(call.metadata)) return void call.emit('error', unknown);
      const options = call.request.getOptions();
      const stream = nameOf(options?.getStream()?.getStreamIdentifier());
      const kept = streams.get(stream);
      if (kept === undefined) {
        const response = new streamsPb.ReadResp();
        const notFound = new streamsPb.ReadResp.StreamNotFound();
        notFound.setStreamIdentifier(options?.getStream()?.getStreamIdentifier());
        response.setStreamNotFound(notFound);
        call.write(response);
        return void call.end();
      }
      const from = Number(options?.getStream()?.getRevision() ?? 0);
      for (const [at, one] of kept.entries()) {
        if (at < from || at >= from + Number(options?.getCount())) continue;
        call.write(readOf(stream, at, one));
      }
      call.end();
    },
    delete: () => {},
    tombstone: () => {},
  };

  const methods = {
    getSupportedMethods: (
      _: ServerUnaryCall<shared.Empty, features.SupportedMethods>,
      answer: sendUnaryData<features.SupportedMethods>,
    ) => {
      const supported = new features.SupportedMethods();
      supported.setEventStoreServerVersion('24.10.0');
      if (hasBatches) {
        const method = new features.SupportedMethod();
        method.setServiceName('event_store.client.streams.streams');
        method.setMethodName('batchappend');
        supported.setMethodsList([method]);
      }
      answer(null, supported);
    },
  };

  const listen = async (port: number): Promise<{ server: Server; port: number }> => {
    const server = new Server();
    server.addService(streamsGrpc.StreamsService, handlers);
    server.addService(serverFeatures.ServerFeaturesService, methods);
    const credentials =
      certificate === null
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [
            { private_key: Buffer.from(certificate.key), cert_chain: Buffer.from(certificate.cert) },
          ]);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
    return { server, port: await promise };
  };

  let running = await listen(0);
  const { port } = running;
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    streams,
    /** Streams and ids in the order in which they were stored. */
    order,
    state,
    /** Ends every connection and takes no new one. */
    stop: () => running.server.forceShutdown(),
    /** Listens again at the same port, with what it had. */
    start: async () => {
      running = await listen(port);
    },
    [Symbol.asyncDispose]: async () => running.server.forceShutdown(),
  };
};

const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

const idOf = (id: shared.UUID | undefined): string => {
  const structured = id?.getStructured();
  if (structured === undefined) return id?.getString() ?? '';
  const hex = [structured.getMostSignificantBits(), structured.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

const keptOf = (proposed: Proposed): KeptEvent => ({
  id: idOf(proposed.getId()),
  type: proposed.getMetadataMap().get('type') ?? '',
  contentType: proposed.getMetadataMap().get('content-type') ?? '',
  data: JSON.parse(Buffer.from(proposed.getData_asU8()).toString('utf8')),
  metadata: JSON.parse(Buffer.from(proposed.getCustomMetadata_asU8()).toString('utf8')),
});

const readOf = (
  stream: string,
  at: number,
  { id, type, contentType, data, metadata }: KeptEvent,
): streamsPb.ReadResp => {
  const uuid = new shared.UUID();
  uuid.setString(id);
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream).toString('base64'));
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuid);
  recorded.setStreamIdentifier(identifier);
  recorded.setStreamRevision(String(at));
  recorded.setPreparePosition('0');
  recorded.setCommitPosition('0');
  recorded.getMetadataMap().set('type', type).set('content-type', contentType).set('created', '0');
  recorded.setData(Buffer.from(JSON.stringify(data)).toString('base64'));
  recorded.setCustomMetadata(Buffer.from(JSON.stringify(metadata)).toString('base64'));
  const event = new streamsPb.ReadResp.ReadEvent();
  event.setEvent(recorded);
  const response = new streamsPb.ReadResp();
  response.setEvent(event);
  return response;
};
