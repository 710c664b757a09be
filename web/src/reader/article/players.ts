/** A video that plays in a frame of another site, once the reader starts it. */
export interface Player {
  /** Name of the site. */
  readonly site: string;
  /** Host that the frame is loaded from. */
  readonly host: string;
  /** Address of the frame; starts playing. */
  readonly src: string;
  /** Address of a picture of the video, if it follows from the video's address. */
  readonly picture: string | null;
}

const YOUTUBE = /^(?:(?:www|m|music)\.)?youtube(?:-nocookie)?\.com$/;
const VIDEO_ID = /^[\w-]{6,20}$/;
const LIST_ID = /^[\w-]{10,60}$/;

/** Paths of frames: links to them replace a frame of the article. */
const FRAME_PATH = /^\/(?:embed\/|v\/|videos\/embed\/)/;

/**
 * The player for the address of a video or of its frame: YouTube, Vimeo, and PeerTube at any host.
 *
 * @returns null for any other address
 */
export function playerOf(address: string): Player | null {
  const url = URL.parse(address);
  // A frame of this origin could use the session.
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin === location.origin) {
    return null;
  }
  const src = youTube(url) ?? vimeo(url) ?? peerTube(url);
  if (src === null) {
    return null;
  }
  const id = /youtube-nocookie\.com\/embed\/(?!videoseries)([\w-]+)/.exec(src.href)?.[1];
  const picture = id === undefined ? null : `https://i.ytimg.com/vi/${id}/mqdefault.jpg`;
  return { site: siteOf(src), host: src.hostname, src: src.href, picture };
}

/** Whether the address is of a frame, not of a page. */
export function isFrameAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (FRAME_PATH.test(url.pathname) || url.hostname === 'player.vimeo.com');
}

function youTube(url: URL): URL | null {
  const isShort = url.hostname === 'youtu.be';
  if (!isShort && !YOUTUBE.test(url.hostname)) {
    return null;
  }
  const list = url.searchParams.get('list') ?? '';
  const [, written = ''] = /^\/(?:embed|shorts|live|v)\/([^/]+)/.exec(url.pathname) ?? [];
  const id = isShort ? url.pathname.slice(1) : (url.searchParams.get('v') ?? written);
  const start = /^(\d{1,6})s?$/.exec(
    url.searchParams.get('start') ?? url.searchParams.get('t') ?? '',
  );
  if (VIDEO_ID.test(id) && id !== 'videoseries') {
    return frame(`https://www.youtube-nocookie.com/embed/${id}`, { start: start?.[1] });
  }
  return LIST_ID.test(list)
    ? frame('https://www.youtube-nocookie.com/embed/videoseries', { list })
    : null;
}

function vimeo(url: URL): URL | null {
  const isPlayer = url.hostname === 'player.vimeo.com';
  if (!isPlayer && !/^(?:www\.)?vimeo\.com$/.test(url.hostname)) {
    return null;
  }
  const path = isPlayer ? /^\/video\/(\d{1,12})$/ : /^\/(\d{1,12})(?:\/(\w{1,40}))?\/?$/;
  const [, id, hash] = path.exec(url.pathname) ?? [];
  const h = url.searchParams.get('h') ?? hash ?? '';
  return id === undefined
    ? null
    : frame(`https://player.vimeo.com/video/${id}`, {
        dnt: '1',
        h: /^\w{1,40}$/.test(h) ? h : undefined,
      });
}

/** Every host may be one of PeerTube; the forms of its addresses are unmistakable. */
function peerTube(url: URL): URL | null {
  const path =
    /^\/(?:videos\/(?:embed|watch)|w)\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[1-9A-HJ-NP-Za-km-z]{22})$/;
  const id = path.exec(url.pathname)?.[1];
  return id === undefined || url.protocol !== 'https:'
    ? null
    : frame(`${url.origin}/videos/embed/${id}`, { warningTitle: '0' });
}

function frame(address: string, parameters: Readonly<Record<string, string | undefined>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries({ ...parameters, autoplay: '1' })) {
    if (value !== undefined) {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

/** The address of a player's frame, from a time on. */
export function startingAt(src: string, seconds: number): string {
  const url = new URL(src);
  if (url.hostname === 'player.vimeo.com') {
    url.hash = `t=${seconds}s`;
  } else {
    url.searchParams.set('start', String(seconds));
  }
  return url.href;
}

function siteOf({ hostname }: URL): string {
  if (hostname === 'www.youtube-nocookie.com') {
    return 'YouTube';
  }
  return hostname === 'player.vimeo.com' ? 'Vimeo' : hostname;
}
