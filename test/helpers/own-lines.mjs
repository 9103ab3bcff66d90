/** The lines that a test in Node runs are counted, those of the programs it starts (bundlers, compilers) would take their time for nothing. */
delete process.env.NODE_V8_COVERAGE;
