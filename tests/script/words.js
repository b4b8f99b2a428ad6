// Every text is its key, for modules that say something as they are imported.
globalThis.dpvizWords = new Proxy({}, { get: (_, key) => key });
