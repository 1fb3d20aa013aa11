/** Where the palette can lead: the pages whose name has the text, and what its text is the id or name of. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { type Answer, api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { useLate } from '../../parts/use-late.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { accountPages, operatorPages } from '../pages.tsx';
import { shellTexts } from '../texts.ts';
import { playgroundTexts } from '../../pages/playground/texts.ts';
import { texts } from './texts.ts';

export interface Destination {
  /** Within the console. */
  path: string;
  name: string;
  /** What it is, and whose. */
  about: string;
}

type Found = Answer<'find'>['data'][number];

const playgroundKinds = ['chat', 'image', 'video', 'avatar-talk', 'speech', 'transcription'] as const;

/** All pages while nothing is typed. `isLooking`: ids and names are still being looked up. */
export function useDestinations(typed: string): { all: Destination[]; isLooking: boolean; error: unknown } {
  const text = typed.trim();
  const pages = usePages().filter((page) => wordsOf(page).includes(text.toLowerCase()));
  const late = useLate(text);
  const found = useQuery({
    queryKey: ['find', late],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/console/api/find', { params: { query: { text: late } }, signal });
      return data?.data ?? [];
    },
    enabled: late !== '',
    retry: false,
  });
  const describe = useDescription();
  const isSettled = late === text && !found.isFetching;
  const named = late === text && text !== '' ? (found.data ?? []).map(describe) : [];
  return { all: [...named, ...pages], isLooking: text !== '' && !isSettled, error: found.error };
}

/** Its name, and what its address calls it, without the account: `ledger` finds it in every language. */
const wordsOf = ({ name, path }: Destination): string => `${name} ${path.split('/').slice(2).join(' ')}`.toLowerCase();

/** The pages of the account that is shown, or of the reader's first, and those of operators. */
function usePages(): Destination[] {
  const say = useTexts(texts);
  const sayShell = useTexts(shellTexts);
  const sayKind = useTexts(playgroundTexts);
  const { person, accounts } = useSession();
  const { account: shown } = useParams();
  const account = shown ?? accounts[0]?.id;
  const about = say('page');
  return [
    ...(account === undefined
      ? []
      : [
          ...accountPages.map(({ page, name }) => ({ path: `/${account}/${page}`, name: sayShell(name), about })),
          { path: `/${account}/batches/new`, name: say('newBatch'), about },
          ...playgroundKinds.map((kind) => ({
            path: `/${account}/playground/${kind}`,
            name: say('playground', { kind: sayKind(kind) }),
            about,
          })),
        ]),
    ...(person.is_operator
      ? operatorPages.map(({ page, name }) => ({
          path: `/operator/${page}`,
          name: sayShell(name),
          about: say('operatorPage'),
        }))
      : []),
    { path: '/profile', name: sayShell('profile'), about },
  ];
}

function useDescription(): (found: Found) => Destination {
  const say = useTexts(texts);
  return ({ kind, id, name, account }) => ({
    path: pathOf(kind, id, account.id),
    name: name ?? id ?? say('entries'),
    about: kind === 'account' ? say(kind) : `${say(kind)} · ${say('ofAccount', { name: account.name })}`,
  });
}

function pathOf(kind: Found['kind'], id: string | null, account: string): string {
  const named = encodeURIComponent(id ?? '');
  switch (kind) {
    case 'task':
      return `/${account}/tasks/${named}`;
    case 'batch':
      return `/${account}/batches/${named}`;
    case 'request':
      return `/${account}/requests?request=${named}`;
    case 'entries':
      return id === null ? `/${account}/ledger` : `/${account}/ledger?id=${named}`;
    case 'key':
      return `/${account}/keys/${named}`;
    case 'account':
      return `/${account}/overview`;
    default:
      return kind satisfies never;
  }
}
