/** Returns a moment in whole seconds since 1970, as the API and the commands show it. */
export const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);
