import { type Client, profileOf } from './clients.ts';
import type { SampleVideo } from './samples.ts';

type Json = Readonly<Record<string, unknown>>;
type Text = { readonly simpleText: string } | { readonly runs: readonly { text: string }[] };

/** Text as apps get it (`runs`) or as pages do (`simpleText`). */
export const textFor = (client: Client, text: string): Text =>
  profileOf(client)?.isApp ? { runs: [{ text }] } : { simpleText: text };

/** The error screen: a reason with an optional subreason. */
export const screen = (client: Client, reason: string, subreason?: string): Json => ({
  playerErrorMessageRenderer: {
    reason: textFor(client, reason),
    ...(subreason ? { subreason: { runs: [{ text: subreason }] } } : {}),
    icon: { iconType: 'ERROR_OUTLINE' },
  },
});

/** Pages give a general reason and the cause as its subreason; apps give the cause as the reason. */
const refusal = (client: Client, status: string, cause: string): Json => {
  const isApp = profileOf(client)?.isApp ?? false;
  const reason = isApp ? cause : 'Video unavailable';
  return {
    status,
    reason,
    errorScreen: isApp ? screen(client, reason) : screen(client, reason, cause),
    contextParams: 'Q0FFU0FnZ0M=',
  };
};

const bot = 'Sign in to confirm you’re not a bot';
const appAge = 'This video may be inappropriate for some users.';

const ageGate = (client: Client): Json =>
  profileOf(client)?.isApp
    ? {
        status: 'LOGIN_REQUIRED',
        reason: appAge,
        errorScreen: {
          confirmDialogRenderer: {
            title: { runs: [{ text: 'You must sign in to view this video' }] },
            dialogMessages: [{ runs: [{ text: appAge }] }],
          },
        },
        desktopLegacyAgeGateReason: 1,
        reasonTitle: 'You must sign in to view this video',
        contextParams: 'Q0FFU0FnZ0M=',
      }
    : {
        status: 'LOGIN_REQUIRED',
        reason: 'Sign in to confirm your age',
        errorScreen: screen(client, 'Sign in to confirm your age', appAge),
        desktopLegacyAgeGateReason: 1,
        contextParams: 'Q0FFU0FnZ0M=',
      };

const privateVideo = (client: Client): Json => {
  const isGerman = client.language.startsWith('de');
  const messages = [
    isGerman
      ? 'Dieses Video ist privat. Melde dich an, um zu bestätigen, dass du es ansehen darfst.'
      : 'This is a private video. Please sign in to verify that you may see it.',
  ];
  if (!profileOf(client)?.isApp)
    return {
      status: 'LOGIN_REQUIRED',
      messages,
      errorScreen: screen(
        client,
        isGerman ? 'Privates Video' : 'Private video',
        "Sign in if you've been granted access to this video",
      ),
      contextParams: 'Q0FBU0FnZ0E=',
    };
  return {
    status: 'LOGIN_REQUIRED',
    reason: isGerman ? 'Dieses Video ist privat' : 'This video is private',
    messages,
    errorScreen: {
      playerErrorMessageRenderer: {
        subreason: {
          runs: [
            { text: 'If the owner of this video has granted you access, please ' },
            { text: 'sign in' },
            { text: '.' },
          ],
        },
      },
    },
    contextParams: 'Q0FBU0FnZ0E=',
  };
};

const membersReason =
  "This video is available to this channel's members on level: Deckhand (or any higher priced level).";

/** Apps get the reason without an error screen. */
const membersOnly = (client: Client): Json =>
  profileOf(client)?.isApp
    ? { status: 'UNPLAYABLE', reason: membersReason, playableInEmbed: true, contextParams: 'Q0FFU0FnZ0M=' }
    : refusal(client, 'UNPLAYABLE', membersReason);

const upcoming = (video: SampleVideo): Json => ({
  status: 'LIVE_STREAM_OFFLINE',
  reason: 'This live event will begin in 2 days.',
  playableInEmbed: true,
  liveStreamability: {
    liveStreamabilityRenderer: {
      videoId: video.videoId,
      offlineSlate: {
        liveStreamOfflineSlateRenderer: {
          scheduledStartTime: String(video.scheduledStartS ?? 1_893_456_000),
          mainText: { runs: [{ text: 'Live in ' }, { text: '2 days' }] },
        },
      },
      pollDelayMs: '15000',
    },
  },
  contextParams: 'Q0FFU0FnZ0M=',
});

/** The playability status of a video, and whether the answer contains its details. */
export const playability = (video: SampleVideo, client: Client): { says: Json; isShown: boolean } => {
  const no = (status: string, cause: string, isShown = true) => ({ says: refusal(client, status, cause), isShown });
  switch (video.state) {
    case 'ok':
      return { says: { status: 'OK', playableInEmbed: true }, isShown: true };
    case 'live':
      return {
        says: {
          status: 'OK',
          playableInEmbed: true,
          liveStreamability: { liveStreamabilityRenderer: { videoId: video.videoId, pollDelayMs: '30000' } },
        },
        isShown: true,
      };
    case 'bot_check':
      return {
        says: {
          status: 'LOGIN_REQUIRED',
          reason: bot,
          errorScreen: screen(client, bot, 'This helps protect our community. '),
          contextParams: 'Q0FFU0FnZ0M=',
        },
        isShown: false,
      };
    case 'captcha':
      return {
        says: {
          status: 'UNPLAYABLE',
          reason: 'Video unavailable',
          errorScreen: { playerCaptchaViewModel: { title: 'Confirm that you are human' } },
        },
        isShown: false,
      };
    case 'try_later':
      return no('UNPLAYABLE', 'This content isn’t available, try again later.', false);
    case 'private':
      return { says: privateVideo(client), isShown: false };
    case 'deleted':
      return { says: unknownVideo(client), isShown: false };
    case 'age':
      return { says: ageGate(client), isShown: true };
    case 'members':
      return { says: membersOnly(client), isShown: true };
    case 'geo':
      return no('UNPLAYABLE', 'The uploader has not made this video available in your country');
    case 'premium':
      return no('UNPLAYABLE', 'This video is only available to Music Premium members');
    case 'purchase':
      return no('UNPLAYABLE', 'This video requires payment to watch.');
    case 'removed':
      return no('ERROR', 'This video has been removed by the uploader', false);
    case 'terminated':
      return no(
        'UNPLAYABLE',
        'This video is no longer available because the YouTube account associated with this video has been terminated.',
        false,
      );
    case 'copyright':
      return no('UNPLAYABLE', 'This video is no longer available due to a copyright claim by Example Records', false);
    case 'upcoming':
      return { says: upcoming(video), isShown: true };
    case 'processing':
      return no('UNPLAYABLE', "We're processing this video. Check back later.");
    case 'unknown_status':
      return no('RESTING', 'This video is having a rest', false);
  }
};

/** The playability status of an unknown or deleted video. */
export const unknownVideo = (client: Client): Json => {
  const reason = profileOf(client)?.isApp ? 'This video is unavailable' : 'Video unavailable';
  return { status: 'ERROR', reason, errorScreen: screen(client, reason) };
};
