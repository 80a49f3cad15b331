//! Loads the environment light on a background thread. The last request wins.

use super::event::{EventSink, UserEvent};
use crate::app::AppError;
use crate::app::scene::lighting::open_environment;
use crate::request::{EnvironmentRequest, ImportRequest};
use rigview_core::import::Limits;
use rigview_core::util::panic_guard::catch;
use rigview_render::scene::Environment;
use std::sync::Arc;

/// Environments that stay loaded; one has about 6 MB.
const MAX_LOADED: usize = 6;

pub(crate) struct EnvironmentLoader {
    /// The latest last; never empty.
    loaded: Vec<(EnvironmentRequest, Option<Arc<Environment>>)>,
    /// The environment that a thread loads.
    pub(crate) running: Option<EnvironmentRequest>,
    limits: Limits,
    sink: EventSink,
}

impl EnvironmentLoader {
    /// Loads the first environment, without a thread.
    pub(crate) fn open(
        request: &EnvironmentRequest,
        import: &ImportRequest,
        sink: EventSink,
    ) -> Result<Self, AppError> {
        let limits = import.policy().limits;
        let environment = open_environment(request, &limits)?;
        Ok(Self { loaded: vec![(request.clone(), environment)], running: None, limits, sink })
    }

    /// Returns the environment of `request` if it is loaded. Otherwise starts to load it and returns the former one.
    pub(crate) fn load(&mut self, request: &EnvironmentRequest) -> Option<Arc<Environment>> {
        if let Some(index) = self.loaded.iter().position(|(loaded, _)| loaded == request) {
            let entry = self.loaded.remove(index);
            self.loaded.push(entry);
        } else if self.running.is_none() {
            self.running = Some(request.clone());
            let (request, limits, sink) = (request.clone(), self.limits.clone(), Arc::clone(&self.sink));
            std::thread::spawn(move || {
                let crashed = || Err(AppError::Crashed(request.to_string().into()));
                let result = catch(|| open_environment(&request, &limits)).unwrap_or_else(crashed);
                sink(UserEvent::EnvironmentLoaded(request, result))
            });
        }
        self.loaded.last().and_then(|(_, environment)| environment.clone())
    }

    /// Handles the result of the thread.
    pub(crate) fn finish(
        &mut self,
        request: EnvironmentRequest,
        result: Result<Option<Arc<Environment>>, AppError>,
    ) -> Result<(), AppError> {
        self.running = None;
        let environment = result?;
        self.loaded.retain(|(loaded, _)| *loaded != request);
        if self.loaded.len() == MAX_LOADED {
            self.loaded.remove(0);
        }
        // Before the current one, which may no longer be wanted.
        self.loaded.insert(self.loaded.len().saturating_sub(1), (request, environment));
        Ok(())
    }

    /// The environment that lights the model.
    pub(crate) fn current(&self) -> &EnvironmentRequest {
        self.loaded.last().map_or(&EnvironmentRequest::Neutral, |(request, _)| request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_render::scene::Sky;
    use std::sync::mpsc;

    #[test]
    fn last_request_wins_and_a_failure_keeps_the_former_environment() {
        let (sender, events) = mpsc::channel();
        let sink: EventSink = Arc::new(move |event| sender.send(event).is_ok());
        let neutral = EnvironmentRequest::Neutral;
        let mut loader = EnvironmentLoader::open(&neutral, &ImportRequest::default(), sink).unwrap();
        let finish = |loader: &mut EnvironmentLoader| match events.recv().unwrap() {
            UserEvent::EnvironmentLoaded(request, result) => loader.finish(request, result),
            _ => panic!("another event"),
        };
        let (night, none) = (EnvironmentRequest::Sky(Sky::Night), EnvironmentRequest::None);
        let before = loader.load(&night).unwrap();
        assert!(Arc::ptr_eq(&before, &Environment::neutral()) && loader.running.is_some());
        // Requested while the thread is running: loaded afterwards.
        assert!(loader.load(&none).is_some());
        finish(&mut loader).unwrap();
        assert!(loader.load(&none).is_some() && loader.running.is_some());
        finish(&mut loader).unwrap();
        assert!(loader.load(&none).is_none() && loader.running.is_none());
        assert!(!Arc::ptr_eq(&loader.load(&night).unwrap(), &before) && loader.running.is_none());
        loader.load(&EnvironmentRequest::File("missing.hdr".into()));
        assert!(finish(&mut loader).is_err() && loader.running.is_none());
        assert_eq!(*loader.current(), night);
    }
}
