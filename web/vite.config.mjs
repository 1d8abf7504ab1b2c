// One HTML file with everything in it: the page is opened from disk, where there is nothing to fetch from.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Puts the script and the style sheet into the page and drops them as files. */
function inlined() {
  return {
    name: 'inlined',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      const scripts = Object.values(bundle).filter((file) => file.type === 'chunk');
      const styles = Object.values(bundle).filter((file) => file.fileName.endsWith('.css'));
      let html = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/g, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/g, '');
      const style = styles.map((file) => file.source).join('');
      const script = scripts.map((file) => file.code).join('').replace(/<\/script/gi, '<\\/script');
      const licence = readFileSync(new URL('node_modules/uplot/LICENSE', import.meta.url), 'utf8').trim();
      // Functions as replacements: a string would have its $ read as patterns.
      html = html.replace('</head>', () => `<!-- The charts are drawn by uPlot.\n${licence}\n-->\n<style>${style.trim()}</style>\n</head>`);
      html = html.replace('</body>', () => `<script type="module">${script.trim()}</script>\n</body>`);
      for (const file of [...scripts, ...styles]) delete bundle[file.fileName];
      if (Object.keys(bundle).length !== 1) this.error('something was left outside the page');
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [inlined()],
  build: {
    target: 'es2020',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    reportCompressedSize: false,
  },
});
