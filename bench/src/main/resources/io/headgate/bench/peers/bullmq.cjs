// Executes the commands of the benchmark with BullMQ. A line of the input is a command, such as "enqueue 5000". Its answer is a line
// "done <nanoseconds in total> <p50 in microseconds> <p99 in microseconds>", or "failed <reason>".
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

// A payload: the number of the job, and pseudo-random letters.
function payload(number) {
  let text = String(number).padStart(9, '0');
  let state = number + 1;
  while (text.length < payloadBytes) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += String.fromCharCode(97 + (state >>> 24) % 26);
  }
  return text;
}

// Sends all requests with a fixed number in flight; returns the total nanoseconds and the p50 and p99 in microseconds.
async function lanes(count, step, inFlight, send) {
  const micros = [];
  let next = 0;
  const start = now();
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (next < count) {
      const from = next;
      next += step;
      const sent = now();
      await send(from, Math.min(from + step, count));
      micros.push(Number(now() - sent) / 1e3);
    }
  }));
  const nanos = now() - start;
  micros.sort((a, b) => a - b);
  const at = (share) => micros[Math.min(micros.length - 1, Math.floor(micros.length * share))];
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

// Runs one worker until all jobs are completed; fails if a job is delivered twice or with another payload.
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
