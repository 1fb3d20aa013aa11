/**
 * The console's colours and measures as antd tokens. Every text colour has a contrast of at least 4.5 to 1 on each ground
 * that it stands on, placeholders and disabled values too, where antd's own go down to 1.8.
 */
import { theme, type ThemeConfig } from 'antd';

const fonts =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans', sans-serif";
const codeFonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";

const light = {
  colorPrimary: '#4340c4',
  colorPrimaryHover: '#5653d8',
  colorPrimaryActive: '#35329f',
  colorPrimaryBg: '#eeedfc',
  colorPrimaryBgHover: '#e0defa',
  colorLink: '#4340c4',
  colorLinkHover: '#35329f',
  colorLinkActive: '#2b2985',
  colorSuccess: '#18794e',
  colorSuccessText: '#18794e',
  colorWarning: '#8f5a00',
  colorWarningText: '#8f5a00',
  colorError: '#c4302b',
  colorErrorText: '#b42621',
  colorErrorHover: '#d5453f',
  colorErrorActive: '#a32420',
  colorInfo: '#2a62c9',
  colorInfoText: '#2a62c9',
  colorSuccessBg: '#e9f7ef',
  colorSuccessBorder: '#a9dcc0',
  colorWarningBg: '#fff6e0',
  colorWarningBorder: '#efd48c',
  colorErrorBg: '#fdefee',
  colorErrorBorder: '#f1b3b0',
  colorInfoBg: '#ebf2fd',
  colorInfoBorder: '#b3cdf5',
  colorTextBase: '#16181d',
  colorText: '#16181d',
  colorTextHeading: '#0e1014',
  colorTextSecondary: '#4a4f5c',
  colorTextTertiary: '#636979',
  colorTextQuaternary: '#636979',
  colorTextDescription: '#5a6070',
  colorTextPlaceholder: '#676d7d',
  colorTextDisabled: '#686e7e',
  colorIcon: '#5a6070',
  colorIconHover: '#16181d',
  colorBgLayout: '#f7f7f9',
  colorBgContainer: '#ffffff',
  colorBgElevated: '#ffffff',
  colorBgContainerDisabled: '#f3f4f6',
  colorBorder: '#d3d6de',
  colorBorderSecondary: '#e6e8ed',
  colorSplit: '#e6e8ed',
  colorFillAlter: '#f7f7f9',
};

const dark: Record<keyof typeof light, string> = {
  colorPrimary: '#918eff',
  colorPrimaryHover: '#a6a4ff',
  colorPrimaryActive: '#7d79f5',
  colorPrimaryBg: '#24233f',
  colorPrimaryBgHover: '#2e2c52',
  colorLink: '#aaa8ff',
  colorLinkHover: '#c3c1ff',
  colorLinkActive: '#918eff',
  colorSuccess: '#4cc38a',
  colorSuccessText: '#4cc38a',
  colorWarning: '#f0b54a',
  colorWarningText: '#f0b54a',
  colorError: '#ff7f79',
  colorErrorText: '#ff8f8a',
  colorErrorHover: '#ff9994',
  colorErrorActive: '#f06a64',
  colorInfo: '#7fb0ff',
  colorInfoText: '#7fb0ff',
  colorSuccessBg: '#12291e',
  colorSuccessBorder: '#255c41',
  colorWarningBg: '#2e2510',
  colorWarningBorder: '#5c4718',
  colorErrorBg: '#331a19',
  colorErrorBorder: '#6b302d',
  colorInfoBg: '#15243d',
  colorInfoBorder: '#2b4a7d',
  colorTextBase: '#eceef2',
  colorText: '#e6e8ed',
  colorTextHeading: '#f5f6f8',
  colorTextSecondary: '#b6bcc8',
  colorTextTertiary: '#989fae',
  colorTextQuaternary: '#989fae',
  colorTextDescription: '#a3aab8',
  colorTextPlaceholder: '#969dac',
  colorTextDisabled: '#939aa9',
  colorIcon: '#a3aab8',
  colorIconHover: '#f5f6f8',
  colorBgLayout: '#0e1014',
  colorBgContainer: '#15181e',
  colorBgElevated: '#1c2027',
  colorBgContainerDisabled: '#1d2129',
  colorBorder: '#39404c',
  colorBorderSecondary: '#272c35',
  colorSplit: '#272c35',
  colorFillAlter: '#1a1e25',
};

/** Below an element of this class antd's variables have the theme's values. */
export const themeClass = 'tg-theme';

/** The theme of antd for a scheme. */
export function themeOf(isDark: boolean): ThemeConfig {
  const colours = isDark ? dark : light;
  // On the light violet and red of the dark scheme it is dark text that can be read.
  const onSolid = isDark ? '#0e1014' : '#ffffff';
  return {
    cssVar: { key: themeClass },
    algorithm: isDark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    token: {
      ...colours,
      fontFamily: fonts,
      fontFamilyCode: codeFonts,
      fontSize: 14,
      borderRadius: 8,
      borderRadiusLG: 12,
      controlHeight: 36,
      wireframe: false,
      motion: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
      // Links inside of text are marked by more than their colour.
      linkDecoration: 'none',
      linkHoverDecoration: 'underline',
      linkFocusDecoration: 'underline',
    },
    components: {
      Button: {
        primaryColor: onSolid,
        dangerColor: onSolid,
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
      },
      Table: {
        headerBg: colours.colorFillAlter,
        headerColor: colours.colorTextSecondary,
        headerSplitColor: 'transparent',
      },
      Card: { headerFontSize: 15 },
      Typography: { titleMarginBottom: 0, titleMarginTop: 0 },
      Select: { optionSelectedBg: colours.colorPrimaryBg },
      // antd's own track doesn't stand out from the page.
      Segmented: isDark
        ? { trackBg: '#1c2027', itemSelectedBg: '#39404c' }
        : { trackBg: '#e6e8ed', itemSelectedBg: '#ffffff' },
    },
  };
}

/** Series of charts, apart from each other for colour-blind eyes too, and at least 3 to 1 on their ground. */
export const chartColours = (isDark: boolean): readonly string[] =>
  isDark
    ? ['#918eff', '#4cc38a', '#f0b54a', '#7fb0ff', '#ff8f8a', '#5fd0d6', '#d79bf0', '#b6bcc8']
    : ['#4340c4', '#18794e', '#b06f00', '#2a7de1', '#c4302b', '#0c7f86', '#9a3fb8', '#636979'];
