/** Colours of what a chart is made of: each stands out from the ground by at least 3 to 1, and from its neighbours. */
const light = ['#4340c4', '#0f8a7a', '#c2570c', '#b02a76', '#2a7fc9', '#6b7d16', '#7a8194'];
const dark = ['#918eff', '#3cc9b4', '#f59e5b', '#f07ab8', '#6db5f5', '#b6c957', '#8b93a7'];

export const colours = (isDark: boolean): readonly string[] => (isDark ? dark : light);
export const seriesMax = light.length;
