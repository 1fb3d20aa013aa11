/**
 * What the page's address asks at this moment. A page may not have been drawn anew since the last choice: a change that
 * begins from what the page was drawn with would undo that choice.
 */
export const searchNow = (): URLSearchParams => new URLSearchParams(window.location.search);
