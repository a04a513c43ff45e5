/** The client that a request claims to be. */
export type Client = {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  readonly hasToken: boolean;
};

type Profile = {
  /** Versions older than this are answered 400 FAILED_PRECONDITION. */
  readonly oldestVersion: readonly number[];
  readonly isApp: boolean;
  /** The last parameters of a caption link. */
  readonly captionFormat: 'srv3' | null;
  readonly translations: 'few' | 'many';
  /** Without a proof-of-origin token the player says that the page needs to be reloaded. */
  readonly needsToken: boolean;
  /** Refuses every request: with `bot_check`, or as the embedded player, which hides the real state. */
  readonly always?: 'bot_check' | 'embed_error';
};

const app = { isApp: true, needsToken: false, captionFormat: null } as const;

/** How each client behaves in July and August 2026. */
const profiles: Readonly<Record<string, Profile>> = {
  ANDROID: { ...app, oldestVersion: [20], captionFormat: 'srv3', translations: 'few' },
  IOS: { ...app, oldestVersion: [19, 28], translations: 'few' },
  VISIONOS: { ...app, oldestVersion: [1, 2], translations: 'many' },
  ANDROID_VR: { ...app, oldestVersion: [1, 56], captionFormat: 'srv3', translations: 'few', always: 'bot_check' },
  WEB: { oldestVersion: [2, 2024], isApp: false, captionFormat: null, translations: 'many', needsToken: true },
  MWEB: { oldestVersion: [2, 2024], isApp: false, captionFormat: null, translations: 'many', needsToken: true },
  TVHTML5: { oldestVersion: [7], isApp: false, captionFormat: null, translations: 'few', needsToken: false },
  TVHTML5_SIMPLY_EMBEDDED_PLAYER: {
    oldestVersion: [2],
    isApp: false,
    captionFormat: null,
    translations: 'few',
    needsToken: false,
    always: 'embed_error',
  },
};

/** The numbers of a version; of the date in `2.20260630.03.00` only the year, which decides whether a client is outdated. */
const numbersOf = (version: string): number[] =>
  version.split('.').map((part) => Number(/^20\d{6}$/.test(part) ? part.slice(0, 4) : part));

const isOlder = (version: string, oldest: readonly number[]): boolean => {
  const numbers = numbersOf(version);
  for (const [index, wanted] of oldest.entries()) {
    const has = numbers[index] ?? 0;
    if (Number.isNaN(has)) return true;
    if (has !== wanted) return has < wanted;
  }
  return false;
};

const profileName = (name: string): string => (name === 'iOS' ? 'IOS' : name);

export const profileOf = (client: Client): Profile | undefined => profiles[profileName(client.name)];

export const isRetired = (client: Client): boolean => {
  const profile = profileOf(client);
  return profile !== undefined && isOlder(client.version, profile.oldestVersion);
};

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Reads `context.client` of a request body; undefined if absent. */
export const clientOf = (body: unknown): Client | undefined => {
  const context = record(record(body)['context']);
  const client = record(context['client']);
  const { clientName, clientVersion, hl } = client;
  if (typeof clientName !== 'string' || typeof clientVersion !== 'string') return undefined;
  const integrity = record(record(body)['serviceIntegrityDimensions']);
  return {
    name: profileName(clientName),
    version: clientVersion,
    language: typeof hl === 'string' ? hl : 'en',
    hasToken: typeof integrity['poToken'] === 'string',
  };
};

const fewTranslations = 'ar zh-Hant nl en fr de hi id it ja ko pt ru es th tr uk vi'.split(' ');
const manyTranslations =
  'ab aa af ak sq am ar hy as ay az bn ba eu be bho bs br bg my ca ceb zh-Hans zh-Hant co hr cs da dv nl dz en eo et ee fo fj fil fi fr gaa gl lg ka de el gn gu ht ha haw iw hi hmn hu is ig id iu ga it ja jv kl kn kk kha km rw ko kri ku ky lo la lv ln lt lua luo lb mk mg ms ml mt gv mi mr mn mfe ne new nso no ny oc or om os pam ps fa pl pt pt-PT pa qu ro rn ru sm sg sa gd sr crs sn sd si sk sl so st es su sw ss sv tg ta tt te th bo ti to ts tn tum tr tk uk ur ug uz ve vi war cy fy wo xh yi yo zu'.split(
    ' ',
  );

/** The languages that the client offers to translate into. */
export const translationsOf = (client: Client): readonly string[] =>
  profileOf(client)?.translations === 'many' ? manyTranslations : fewTranslations;
