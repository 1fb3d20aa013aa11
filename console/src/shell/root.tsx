/** Around all pages, signed in or not: the bar that shows a page is loading, and where focus goes after a change of page. */
import { useEffect, useRef } from 'react';
import { Outlet, useLocation, useNavigation } from 'react-router';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

export function Root() {
  const say = useTexts(shellTexts);
  const navigation = useNavigation();
  useFocusOnHeading();
  return (
    <>
      {navigation.state === 'loading' && <div className="tg-progress" role="progressbar" aria-label={say('loading')} />}
      <Outlet />
    </>
  );
}

/** After going to another page (not at the first load) its heading has the focus, so that a screen reader reads it. */
function useFocusOnHeading(): void {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    window.scrollTo(0, 0);
    // A form that begins with the focus in its first field keeps it.
    if (document.activeElement?.matches('main input')) return;
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [pathname]);
}
