import { defineConfig } from 'vitest/config';

// Fixed names: the program holds each file under its own.
const name = (info: { names: string[] }) =>
  info.names.some((n) => n.endsWith('.css')) ? 'app.css' : '[name][extname]';

export default defineConfig({
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { entryFileNames: 'app.js', assetFileNames: name } },
  },
  worker: { format: 'es', rollupOptions: { output: { entryFileNames: 'worker.js' } } },
  test: { include: ['test/**/*.test.ts'] },
});
