//! A worker thread that runs the latest request.

use std::sync::mpsc::{Sender, channel};

/// Runs requests one at a time. A request that waits is dropped when a later one arrives.
///
/// The thread ends after the request in progress when the worker is dropped.
pub(crate) struct LatestWorker<T> {
    requests: Sender<T>,
}

impl<T: Send + 'static> LatestWorker<T> {
    pub(crate) fn new(mut run: impl FnMut(T) + Send + 'static) -> Self {
        let (requests, queue) = channel();
        std::thread::spawn(move || {
            while let Ok(first) = queue.recv() {
                run(queue.try_iter().last().unwrap_or(first));
            }
        });
        Self { requests }
    }

    /// Runs `request` next.
    pub(crate) fn submit(&self, request: T) {
        // Only fails if the thread panicked, which the panic hook reports.
        let _ = self.requests.send(request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_requests_are_superseded() {
        let (results, finished) = channel();
        let (release, gate) = channel::<()>();
        let worker = LatestWorker::new(move |request: u32| {
            gate.recv().unwrap();
            results.send(request).unwrap();
        });
        worker.submit(0);
        release.send(()).unwrap();
        assert_eq!(finished.recv(), Ok(0));
        (1..=50).for_each(|request| worker.submit(request));
        release.send(()).unwrap();
        release.send(()).unwrap();
        let mut last = finished.recv().unwrap();
        if last != 50 {
            last = finished.recv().unwrap();
        }
        assert_eq!(last, 50, "at most one earlier request runs");
    }
}
