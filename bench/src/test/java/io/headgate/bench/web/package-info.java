@NullMarked
package io.headgate.bench.web;

import org.jspecify.annotations.NullMarked;
