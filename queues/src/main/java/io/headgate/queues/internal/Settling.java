package io.headgate.queues.internal;

/** What is to be said of one job in hand, as an engine takes it. */
public interface Settling {}
