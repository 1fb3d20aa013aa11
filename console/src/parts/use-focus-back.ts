/** Gives the focus back to what had it before a dialog that is taken off the page when it closes. */
import { useEffect, useState } from 'react';

/** Called by the dialog's component, which is mounted by a press of the button that shall have the focus again. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // In the next moment the dialog is gone, and whatever else has taken the focus by then keeps it.
      setTimeout(() => {
        const { activeElement } = document;
        const isLost = activeElement === null || activeElement === document.body;
        if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    },
    [before],
  );
}
