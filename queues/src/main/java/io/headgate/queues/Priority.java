package io.headgate.queues;

/** Which of two jobs that are due is handed out first: always the one of the higher priority. */
public enum Priority {
    HIGH,
    NORMAL,
    LOW
}
