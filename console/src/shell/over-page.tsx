/** What may stand over any page, each loaded when it is first wanted: notices, and the dialog of an ended session. */
import { lazy, Suspense, useState } from 'react';
import { signInWanted } from '../api/sign-in-again.ts';
import { type Store, useStore } from '../api/store.ts';
import { notices } from '../parts/notify.ts';

const Notices = lazy(() => import('./notices.tsx'));
const SignInDialog = lazy(() => import('./sign-in-dialog.tsx'));

export function OverPage() {
  const hasNotices = useOnce(notices, (waiting) => waiting.length > 0);
  const isSignInWanted = useOnce(signInWanted, (isWanted) => isWanted);
  return (
    <Suspense fallback={null}>
      {hasNotices && <Notices />}
      {isSignInWanted && <SignInDialog />}
    </Suspense>
  );
}

/** Whether it ever was so: what is shown then stays, and ends by itself. */
function useOnce<Value>(store: Store<Value>, isSo: (value: Value) => boolean): boolean {
  const isNow = isSo(useStore(store));
  const [wasSo, setWasSo] = useState(isNow);
  if (isNow && !wasSo) setWasSo(true);
  return wasSo || isNow;
}
