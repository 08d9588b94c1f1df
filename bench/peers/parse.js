// Prints the CPU seconds that JSON.parse takes for a file. parse.js FILE
const text = require('node:fs').readFileSync(process.argv[2], 'utf8');
const start = process.cpuUsage();
const value = JSON.parse(text);
const used = process.cpuUsage(start);
console.log(value.size, (used.user + used.system) / 1e6);
