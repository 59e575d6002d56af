// Keys and what they do: one table for the handler, the help and the tests.

export type Action =
  | 'play' | 'next' | 'previous' | 'first' | 'last' | 'loop' | 'follow' | 'frameAll'
  | 'particles' | 'surface' | 'colliders' | 'clip' | 'range' | 'plot' | 'screenshot' | 'theme' | 'panel' | 'help' | 'close';

export interface Key {
  keys: string[]; // as KeyboardEvent.key says
  action: Action;
  text: string;
}

export const keys: Key[] = [
  { keys: [' '], action: 'play', text: 'play or pause' },
  { keys: ['ArrowRight', '.'], action: 'next', text: 'next frame' },
  { keys: ['ArrowLeft', ','], action: 'previous', text: 'previous frame' },
  { keys: ['Home'], action: 'first', text: 'first frame' },
  { keys: ['End'], action: 'last', text: 'last frame' },
  { keys: ['l'], action: 'loop', text: 'loop' },
  { keys: ['n'], action: 'follow', text: 'follow the newest frame' },
  { keys: ['f'], action: 'frameAll', text: 'show all' },
  { keys: ['p'], action: 'particles', text: 'particles on or off' },
  { keys: ['s'], action: 'surface', text: 'surface on or off' },
  { keys: ['c'], action: 'colliders', text: 'colliders on or off' },
  { keys: ['x'], action: 'clip', text: 'clip: next axis' },
  { keys: ['r'], action: 'range', text: 'range of colours: run or frame' },
  { keys: ['g'], action: 'plot', text: 'plot of the statistics' },
  { keys: ['i'], action: 'screenshot', text: 'save a picture' },
  { keys: ['t'], action: 'theme', text: 'light or dark' },
  { keys: ['h'], action: 'panel', text: 'hide or show the panel' },
  { keys: ['?'], action: 'help', text: 'this list' },
  { keys: ['Escape'], action: 'close', text: 'close, let go of a particle' },
];

export interface Pressed {
  key: string;
  ctrlKey?: boolean;
  metaKey?: boolean;
  altKey?: boolean;
  target?: EventTarget | null;
}

// Nothing while a person types, and nothing that is the browser's.
export function actionOf(event: Pressed): Action | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const target = event.target as { tagName?: string; type?: string } | null | undefined;
  const isText = target?.tagName === 'INPUT' && target.type !== 'range' && target.type !== 'checkbox';
  if ((target?.tagName === 'SELECT' || isText) && event.key !== 'Escape') return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return keys.find((k) => k.keys.includes(key))?.action ?? null;
}

export function keyName(key: string): string {
  const names: Record<string, string> = { ' ': 'Space', ArrowRight: '→', ArrowLeft: '←', Escape: 'Esc' };
  return names[key] ?? key;
}
