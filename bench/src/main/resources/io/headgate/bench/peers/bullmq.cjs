// Works with BullMQ as the benchmark tells it, line by line: "enqueue 5000" and the like. Each is answered by a line, "done"
// with how many nanoseconds it took and how many microseconds 50 and 99 of 100 requests took at most, or "failed" and why.
'use strict';
const { Queue, Worker } = require('bullmq');
const readline = require('node:readline');

const [port, payloadBytes, inFlight, batch, batchesInFlight] = process.argv.slice(2).map(Number);
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
const NAME = 'jobs';
const OPTIONS = { removeOnComplete: true, removeOnFail: true };
const LATER_MILLIS = 3_600_000;
const queue = new Queue(NAME, { connection });
let worker;

const now = () => process.hrtime.bigint();

// A number, and letters that differ.
function payload(number) {
  let text = String(number).padStart(9, '0');
  let state = number + 1;
  while (text.length < payloadBytes) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += String.fromCharCode(97 + (state >>> 24) % 26);
  }
  return text;
}

// Sends all of them, with so many under way.
async function lanes(count, step, atOnce, send) {
  const millis = [];
  let next = 0;
  const start = now();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (next < count) {
      const from = next;
      next += step;
      const sent = now();
      await send(from, Math.min(from + step, count));
      millis.push(Number(now() - sent) / 1e3);
    }
  }));
  const nanos = now() - start;
  millis.sort((a, b) => a - b);
  const at = (share) => millis[Math.min(millis.length - 1, Math.floor(millis.length * share))];
  return [nanos, at(0.5), at(0.99)];
}

function inBatches(count, delay) {
  return lanes(count, batch, batchesInFlight, (from, to) => {
    const jobs = [];
    for (let i = from; i < to; i++) {
      jobs.push({ name: 'j', data: payload(i), opts: delay ? { ...OPTIONS, delay: delay + i } : OPTIONS });
    }
    return queue.addBulk(jobs);
  });
}

// One worker; all jobs must come out, each once and as it went in.
async function work(count) {
  const seen = new Set();
  let completed = 0;
  let start;
  await new Promise((done, failed) => {
    worker = new Worker(NAME, async (job) => {
      const number = Number(String(job.data).slice(0, 9));
      if (job.data !== payload(number) || seen.has(number)) {
        failed(new Error(`job ${number} came out twice, or not as it went in`));
      }
      seen.add(number);
    }, { connection, concurrency: inFlight, autorun: false });
    worker.on('completed', () => ++completed === count && done());
    worker.on('failed', (job, error) => failed(error));
    worker.on('error', failed);
    setTimeout(() => failed(new Error(`${count - completed} of ${count} jobs did not come out`)), 100_000).unref();
    worker.waitUntilReady().then(() => {
      start = now();
      worker.run().catch(failed);
    }, failed);
  });
  return [now() - start, NaN, NaN];
}

async function prepare() {
  if (worker) {
    await worker.close();
    worker = undefined;
  }
  await queue.waitUntilReady();
  return [0n, NaN, NaN];
}

const commands = {
  prepare,
  enqueue: (count) => lanes(count, 1, inFlight, (i) => queue.add('j', payload(i), OPTIONS)),
  enqueueBatches: (count) => inBatches(count, 0),
  enqueueLater: (count) => inBatches(count, LATER_MILLIS),
  process: work,
};

const lines = readline.createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  const [command, count] = line.split(' ');
  try {
    console.log(['done', ...await commands[command](Number(count))].join(' '));
  } catch (error) {
    console.log(`failed ${String(error).replaceAll('\n', ' ')}`);
  }
});
lines.on('close', () => process.exit(0));
