/** The least contrast of text by WCAG 2.2, level AA. */
const LEAST_CONTRAST = 4.5;

/**
 * A script for the page: gives the fields whose text has too little contrast, as HTML. axe-core does not examine the text
 * of fields. Each field has an opaque background of its own.
 */
export const FADED_FIELDS = `(() => {
  const dot = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const luminance = (color) => {
    dot.fillStyle = color;
    dot.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...dot.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 3_294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const isFaded = (field) => {
    const { color, backgroundColor } = getComputedStyle(field);
    const [darker, lighter] = [luminance(color), luminance(backgroundColor)].sort((one, other) => one - other);
    return (lighter + 0.05) / (darker + 0.05) < ${LEAST_CONTRAST};
  };
  return [...document.querySelectorAll('input:not([type=radio], [type=checkbox], [type=file]):enabled, textarea, select')]
    .filter((field) => field.checkVisibility() && isFaded(field)).map((field) => field.outerHTML);
})()`;
