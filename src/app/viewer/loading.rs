//! Results of jobs: loaded files, comparisons and exports.

use super::actions::{Action, FileAction, dispatch::dispatch, edits};
use super::app::App;
use super::frame::Graphics;
use super::jobs::comparer::{self, Comparer};
use super::jobs::event::{
    LoadPurpose, LoadRequest, LoadResult, LoadedContents, LoadedFile, PreparedScene, UserEvent, ViewportSide,
};
use super::jobs::export_args::file_options;
use super::jobs::file_dialog::is_unavailable;
use super::jobs::loader::CheckJob;
use super::state::{ComparisonState, Document, ExportProgress, FlexState, NotificationKind, Reload, Tab, file_list};
use super::uploads::{PendingUpload, UploadedScene};
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::model_folder::expand_folders;
use crate::app::notices::{no_mesh_notice, opening_clips_notice, scene_notices};
use crate::app::scene::{LoadedScene, SceneUpload};
use crate::request::{SceneRequest, is_convertible};
use rigview_core::util::text::{capitalized, file_name};
use rigview_render::drop_elsewhere;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::event_loop::ActiveEventLoop;

/// Maximum time of an upload between two frames.
const MAX_UPLOAD_TIME: Duration = Duration::from_millis(8);

/// Maximum number of options in the notification about those that another file does not keep.
const MAX_DROPPED_OPTIONS: usize = 5;

impl App {
    /// Handles a job event. An error ends the program.
    pub(crate) fn handle_job_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) -> Result<(), AppError> {
        self.state.now = Instant::now();
        match event {
            UserEvent::Loaded(loaded) => self.start_upload(*loaded)?,
            UserEvent::Checked(id, checked) => {
                let uploads = self.graphics.iter_mut().flat_map(|graphics| &mut graphics.uploads);
                let is_its = |file: &LoadedFile| file.id == id && file.side == ViewportSide::First;
                if let Some(upload) = uploads.into_iter().find(|upload| is_its(&upload.file)) {
                    upload.checked = Some(checked);
                } else if self.jobs.loader.visible() == id {
                    self.state.show_check(checked);
                    self.pacer.refresh();
                }
            }
            UserEvent::FileChanged => {
                // Each watcher compares its own file stamps later.
                let now = Instant::now();
                self.jobs.watcher.on_change(now);
                self.jobs.comparer.iter_mut().for_each(|comparer| comparer.watcher.on_change(now));
            }
            UserEvent::ExportProgress(steps) => {
                if let Some(export) = &mut self.state.export {
                    export.steps = Some(steps);
                    self.pacer.refresh();
                }
            }
            UserEvent::ExportFinished(result) => {
                self.jobs.export = None;
                if let Some(export) = self.state.export.take() {
                    self.finish_export(&export, result);
                }
            }
            UserEvent::Flex(model, flex) => {
                let is_open = |document: &&mut Document| Arc::ptr_eq(&model, &document.scene.rig().shared_model());
                if let Some(document) = self.state.document.as_mut().filter(is_open) {
                    // An event of a measurement that has been stopped may be late.
                    let is_current = match (&flex, &document.flex) {
                        (FlexState::Measuring(_, token), FlexState::Measuring(_, now)) => Arc::ptr_eq(token, now),
                        (FlexState::Measured(flex), _) => flex.limits == self.state.flex_limits,
                        _ => false,
                    };
                    if is_current {
                        document.flex = flex;
                        self.pacer.refresh();
                    }
                }
            }
            UserEvent::Compared(result) => {
                if self.jobs.comparer.as_ref().is_some_and(|comparer| comparer.is_current(&result))
                    && let Some(comparison) = &mut self.state.comparison
                {
                    comparison.differences = Some(result.lines);
                    self.pacer.refresh();
                }
            }
            UserEvent::Reloaded(differences) => {
                self.state.notify(NotificationKind::Info, format!("Reloaded: {differences}"));
                self.pacer.refresh();
            }
            UserEvent::FileChosen(purpose, file) => {
                let since = self.jobs.file_dialog.take().map(|(_, since)| since);
                match file {
                    Some(file) => self.dispatch(event_loop, Action::of_file(purpose, file)),
                    None if since.is_some_and(|since| is_unavailable(since.elapsed())) => {
                        self.open_path_palette(purpose);
                    }
                    None => {}
                }
            }
            UserEvent::OpenFiles(files) => match <[PathBuf; 1]>::try_from(files) {
                Ok([file]) => self.dispatch(event_loop, Action::File(FileAction::Open(file))),
                Err(files) => self.open(&files),
            },
            UserEvent::Repaint => self.pacer.refresh(),
            UserEvent::EnvironmentLoaded(request, result) => {
                if let Err(error) = self.jobs.environment.finish(request.clone(), result) {
                    // The former environment stays.
                    let light = &mut self.state.view.request.light;
                    if light.environment() == request {
                        light.environment = Some(self.jobs.environment.current().clone());
                    }
                    self.report_error(&error);
                }
                self.pacer.refresh();
            }
            #[cfg(feature = "accessibility")]
            UserEvent::Accessibility(event) => {
                if let Some(graphics) = &mut self.graphics {
                    graphics.gui.on_accessibility_event(event);
                }
                self.pacer.refresh();
            }
            UserEvent::Quit => event_loop.exit(),
        }
        Ok(())
    }

    /// Opens the first file, or the first model of a folder. Several files and models become the file list.
    pub(crate) fn open(&mut self, paths: &[PathBuf]) {
        let (files, errors) = expand_folders(paths);
        errors.iter().for_each(|error| self.report_open_error(error));
        if let Some(first) = self.state.files.open(files) {
            self.load(first);
        }
    }

    /// Starts to load a file in place of the open one.
    pub(crate) fn load(&mut self, file: PathBuf) {
        if let Some(request) = self.state.request_on_pinned(&file) {
            let label = Some(format!("Motion {}", file_name(&file)));
            return self.reload(request, Reload::Request { label });
        }
        let is_first = self.state.document.is_none() && self.state.command_line.files.first() == Some(&file);
        let scene = if is_first { self.state.command_line.scene.clone() } else { self.state.request_of_view() };
        self.jobs.loader.start(LoadRequest { file, scene, purpose: LoadPurpose::Open });
        self.title.refresh();
    }

    /// Starts to read the open file again.
    pub(crate) fn reload(&mut self, scene: SceneRequest, reload: Reload) {
        let Some(document) = &self.state.document else { return };
        let (file, clip) = (document.scene.file.clone(), document.scene.clip);
        self.jobs.loader.start(LoadRequest { file, scene, purpose: LoadPurpose::Reload(reload, clip) });
        self.refresh();
    }

    /// Starts to read a ground for the open file.
    pub(crate) fn load_ground(&mut self, file: PathBuf, restores_edit: bool) {
        let Some(document) = &self.state.document else { return };
        // Without legs, the action reports what is missing.
        let leg_length = document.scene.leg_length().unwrap_or(1.0);
        let purpose = LoadPurpose::Ground { leg_length, restores_edit };
        self.jobs.loader.start(LoadRequest { file, scene: document.request().clone(), purpose });
        self.refresh();
    }

    /// Starts to read the open file again, which has changed.
    pub(crate) fn reload_changed(&mut self, is_watched: bool) {
        if let Some(request) = self.state.document.as_ref().map(|document| document.request().clone()) {
            self.reload(request, Reload::Changed { is_watched });
        }
    }

    /// Starts to check a file that a request has loaded.
    fn check(&self, id: u64, file: &Path, scene: &SceneRequest) {
        let (policy, conversion) = (scene.import.policy(), scene.conversion.clone());
        let profile = self.state.profile_file().map(Path::to_owned);
        self.jobs.checker.submit(CheckJob { id, file: file.to_owned(), policy, conversion, profile });
    }

    /// Starts to check the open file again.
    pub(crate) fn check_again(&self) {
        if let Some(document) = &self.state.document {
            self.check(self.jobs.loader.visible(), &document.scene.file, document.request());
        }
    }

    /// Starts to upload a loaded file in place of one of the same side that is not uploaded yet; or reports its error.
    fn start_upload(&mut self, LoadResult { file, result }: LoadResult) -> Result<(), AppError> {
        let is_ground = matches!(file.request.purpose, LoadPurpose::Ground { .. });
        let is_read = matches!(file.request.purpose, LoadPurpose::Open | LoadPurpose::Reload(..));
        if result.is_ok() && file.side == ViewportSide::First && is_read {
            self.check(file.id, &file.request.file, &file.request.scene);
        }
        let Some(graphics) = &mut self.graphics else { return Ok(()) };
        let renderer = &graphics.surface.renderer;
        let started =
            result.and_then(|PreparedScene { contents, models }| Ok((contents, SceneUpload::new(renderer, models)?)));
        match started {
            Ok((contents, models)) => {
                // A file that is not shown yet has another ground.
                if !is_ground {
                    graphics.cancel_upload(file.side);
                }
                graphics.uploads.push(PendingUpload { file, contents, models, checked: None });
                Ok(())
            }
            Err(error) => self.finish_upload(file, Err(error)),
        }
    }

    /// Deletes a part of what is not drawn any more, uploads a part of a loaded file, and shows a file that is uploaded. Returns the time of
    /// the next part.
    pub(crate) fn advance_upload(&mut self) -> Result<Option<Instant>, AppError> {
        let begun = Instant::now();
        let gpu = self.graphics.as_ref().map(|graphics| graphics.surface.gl_window.gpu());
        let deletes = gpu.is_some_and(|gpu| gpu.delete_slice(MAX_UPLOAD_TIME));
        while let Some(graphics) = &mut self.graphics
            && let Some(upload) = graphics.uploads.first_mut()
        {
            let uploaded = match upload.models.upload_slice() {
                Ok(true) if begun.elapsed() < MAX_UPLOAD_TIME => continue,
                Ok(true) => return Ok(Some(Instant::now())),
                Ok(false) => Ok(()),
                // It starts again with the next context.
                Err(_) if graphics.is_lost() => return Ok(None),
                Err(error) => Err(error),
            };
            let PendingUpload { file, contents, models, checked } = graphics.uploads.remove(0);
            let models = uploaded.and_then(|()| models.finish());
            self.finish_upload(file, models.map(|models| UploadedScene { contents, models, checked }))?;
        }
        Ok(deletes.then(Instant::now))
    }

    fn finish_upload(&mut self, file: LoadedFile, result: Result<UploadedScene, AppError>) -> Result<(), AppError> {
        if result.is_err() && self.graphics.as_ref().is_some_and(Graphics::is_lost) {
            self.start_again(vec![file]);
            return Ok(());
        }
        match file.side {
            side if matches!(file.request.purpose, LoadPurpose::Upload(_)) => {
                match self.finish_upload_again(side, &file, result) {
                    // The open file is still drawn, for example without the memory for a second one.
                    Err(error)
                        if side == ViewportSide::Second && !self.graphics.as_ref().is_some_and(Graphics::is_lost) =>
                    {
                        self.state.close_comparison();
                        self.graphics.iter_mut().for_each(Graphics::close_comparison);
                        self.jobs.comparer = None;
                        self.report_error(&error);
                        Ok(())
                    }
                    result => result,
                }
            }
            ViewportSide::First if matches!(file.request.purpose, LoadPurpose::Ground { .. }) => {
                self.finish_ground(file, result);
                Ok(())
            }
            ViewportSide::First => self.finish_load(file, result),
            ViewportSide::Second => {
                self.finish_second_load(file, result);
                Ok(())
            }
        }
    }

    /// Replaces a lost context, and reads again the files whose uploads were lost.
    pub(crate) fn replace_lost_context(&mut self) -> Result<(), AppError> {
        let Some(graphics) = self.graphics.take_if(|graphics| graphics.is_lost()) else { return Ok(()) };
        let (graphics, lost) = graphics.replace_context()?;
        self.graphics = Some(graphics);
        self.start_again(lost.into_iter().map(|upload| upload.file).collect());
        const NOTICE: &str = "the graphics driver was reset; all is uploaded again";
        report::notice(format_args!("{NOTICE}"));
        self.notify(NotificationKind::Info, capitalized(NOTICE));
        Ok(())
    }

    fn start_again(&mut self, lost: Vec<LoadedFile>) {
        let (first, second) = lost.into_iter().partition(|file| file.side == ViewportSide::First);
        self.jobs.loader.start_again(first);
        if let Some(comparer) = &mut self.jobs.comparer {
            comparer.loader.start_again(second);
        }
    }

    /// Starts to upload open documents that are not on the GPU: after the loss of a context, or earlier versions to compare with.
    pub(crate) fn upload_what_is_missing(&mut self) {
        let Some(graphics) = &self.graphics else { return };
        let second = self.state.comparison.as_ref().and_then(|comparison| comparison.document.as_ref());
        let first = self.state.document.as_ref().filter(|_| graphics.document.is_none());
        let second = second.filter(|_| graphics.second.is_none());
        let loaders = [Some(&mut self.jobs.loader), self.jobs.comparer.as_mut().map(|comparer| &mut comparer.loader)];
        for (document, loader) in [first, second].into_iter().zip(loaders) {
            if let (Some(document), Some(loader)) = (document, loader)
                && loader.file().is_none()
            {
                let (file, scene) = (document.scene.file.clone(), document.request().clone());
                loader.start(LoadRequest { file, scene, purpose: LoadPurpose::Upload(document.scene.rigs()) });
                self.pacer.refresh();
            }
        }
    }

    /// Draws a document that is uploaded again, unless it has changed meanwhile.
    fn finish_upload_again(
        &mut self,
        side: ViewportSide,
        loaded: &LoadedFile,
        result: Result<UploadedScene, AppError>,
    ) -> Result<(), AppError> {
        self.refresh();
        let comparison = self.state.comparison.as_ref();
        let (document, loader) = match side {
            ViewportSide::First => (self.state.document.as_ref(), Some(&mut self.jobs.loader)),
            ViewportSide::Second => (
                comparison.and_then(|comparison| comparison.document.as_ref()),
                self.jobs.comparer.as_mut().map(|comparer| &mut comparer.loader),
            ),
        };
        loader.into_iter().for_each(|loader| loader.finish(loaded, false));
        if let (Some(document), Some(graphics)) = (document, &mut self.graphics)
            && let UploadedScene { contents: LoadedContents::Rigs(rigs), models, .. } = result?
            && document.scene.has_rigs(&rigs)
        {
            match side {
                ViewportSide::First => _ = graphics.set_document(document, models)?,
                ViewportSide::Second => graphics.set_second(document, models)?,
            }
        }
        Ok(())
    }

    /// Puts the feet on a loaded ground, or reports an error.
    fn finish_ground(&mut self, loaded: LoadedFile, result: Result<UploadedScene, AppError>) {
        self.jobs.loader.finish(&loaded, false);
        self.refresh();
        let LoadPurpose::Ground { restores_edit, .. } = loaded.request.purpose else { return };
        match result {
            Ok(UploadedScene { contents: LoadedContents::Ground(ground), models, .. }) => {
                let gpu = self.graphics.as_mut().and_then(|graphics| graphics.document.as_mut());
                if let (Some(document), Some(gpu)) = (&mut self.state.document, gpu) {
                    gpu.keep_ground(loaded.request.file.clone(), models);
                    document.scene.keep_ground(*ground);
                    let aspect = self.aspect();
                    // No effect is left: the ground is there.
                    let action = edits::action_on_ground(&self.state, loaded.request.file, restores_edit);
                    let _ = dispatch(&mut self.state, action, aspect);
                }
            }
            Ok(_) => {}
            Err(error) => self.report_error(&error),
        }
    }

    /// Shows a loaded file, or an error; then the current file stays open.
    fn finish_load(&mut self, loaded: LoadedFile, result: Result<UploadedScene, AppError>) -> Result<(), AppError> {
        self.jobs.loader.finish(&loaded, result.is_ok());
        self.refresh();
        let LoadedFile { request, files, stamps, .. } = loaded;
        let mut checked = None;
        match result.and_then(|mut uploaded| {
            checked = uploaded.checked.take();
            self.show_document(uploaded, &request)
        }) {
            Ok(()) => {
                let shown = self.state.shown_file().unwrap_or(&request.file).to_owned();
                match self.state.pinned {
                    Some(_) => self.state.files.go_to_listed(&shown),
                    None => self.state.files.go_to(&shown),
                }
                file_list::remember(&mut self.state.settings.recent, &request.file);
                let motions = request.scene.motion.clip_sources.last().cloned();
                let has_clips = self.state.document.as_ref().is_some_and(|document| {
                    document.request().motion.clip_sources.is_empty() && !document.scene.model().clips.is_empty()
                });
                if let Some(file) = motions.or(has_clips.then_some(request.file)) {
                    file_list::remember(&mut self.state.settings.motions, &file);
                }
                self.jobs.watcher.watch(files, stamps);
                self.state.issues = None;
                checked.into_iter().for_each(|checked| self.state.show_check(checked));
                self.pacer.skip();
                self.compare_rigs();
                let aspect = self.aspect();
                self.state.frame_compared_documents(aspect);
                Ok(())
            }
            Err(_) if self.graphics.as_ref().is_some_and(Graphics::is_lost) => {
                self.jobs.loader.start(request);
                Ok(())
            }
            Err(error) if self.is_only_argument(&request.file) && std::io::stderr().is_terminal() => Err(error),
            // The file may be incomplete; the old version stays visible until the next attempt.
            Err(_)
                if matches!(request.purpose, LoadPurpose::Reload(Reload::Changed { is_watched: true }, _))
                    && self.jobs.watcher.retry(Instant::now()) =>
            {
                Ok(())
            }
            Err(error) => {
                if self.state.document.is_none() {
                    // Opens when it is exported again.
                    self.jobs.watcher.watch(files, stamps);
                }
                if let Some(shown) = self.state.shown_file().map(Path::to_owned)
                    && self.jobs.loader.file().is_none()
                {
                    self.state.files.go_back_to(&shown);
                }
                self.report_open_error(&error);
                Ok(())
            }
        }
    }

    /// Returns `true` if `file` is the only file of the command line, and no other one has been opened.
    fn is_only_argument(&self, file: &Path) -> bool {
        self.state.document.is_none()
            && self.jobs.loader.file().is_none()
            && matches!(&self.state.command_line.files[..], [only] if only == file)
    }

    /// Makes a loaded scene the open document.
    fn show_document(&mut self, uploaded: UploadedScene, request: &LoadRequest) -> Result<(), AppError> {
        let UploadedScene { contents: LoadedContents::Scene(scene), models, .. } = uploaded else { return Ok(()) };
        let Some(graphics) = &mut self.graphics else { return Ok(()) };
        report_diagnostics(&scene);
        let before = self.state.document.as_ref().filter(|_| matches!(request.purpose, LoadPurpose::Reload(..)));
        let imports_clips = self.state.pinned.is_none()
            && before.is_some_and(|before| {
                request.scene.motion.clip_sources.len() > before.request().motion.clip_sources.len()
            });
        if let Some(diagnostic) = scene.diagnostics.last().filter(|_| imports_clips) {
            self.state.notify(NotificationKind::Info, diagnostic.message.clone());
        }
        if let Some(diagnostic) = scene.diagnostics.first().filter(|_| is_convertible(&scene.file)) {
            self.state.notify(NotificationKind::Info, diagnostic.message.clone());
        }
        if let Some(notice) = opening_clips_notice(&scene, &request.scene) {
            self.state.notify(NotificationKind::Info, notice);
        }
        if imports_clips && scene.motion().is_some() && !self.state.settings.panels.hidden {
            self.state.settings.panels.show_tab(Tab::Retarget);
        }
        let frames_per_sec = self.state.settings.frames_per_sec;
        let mut document = Document::new(*scene, &request.scene, frames_per_sec, graphics.surface.aspect());
        let former = graphics.set_document(&document, models)?;
        graphics.gui.state.textures = Default::default();
        let edits = edits::current_snapshot(&self.state);
        let before = self.state.document.take();
        self.state.notifications.clear_errors();
        let mut recorded = None;
        match (before, &request.purpose) {
            (Some(before), LoadPurpose::Reload(reload, _)) => {
                let aspect = graphics.surface.aspect();
                let is_framed = before.camera.is_free() && before.camera.is_framed();
                document.inherit_view_from(&before);
                if is_framed && matches!(reload, Reload::Request { .. }) {
                    document.camera.frame(&document.scene, aspect);
                }
                graphics.gui.state.thumbnails.forget(Some(&before.scene.file));
                match reload {
                    Reload::Request { label } => recorded = label.clone(),
                    Reload::Changed { .. } => {
                        // The user may have changed it meanwhile.
                        let mut request = document.fitted(before.request().clone());
                        if request.clip != before.request().clip {
                            // The clip in place of one that is gone.
                            request.clip.clone_from(&document.request().clip);
                        }
                        if document.set_request(request).is_ok() {
                            document.playback = before.playback;
                            document.playback.clamp_to(document.scene.duration_secs());
                        }
                        let models = [&before, &document].map(|document| document.scene.rig().shared_model());
                        comparer::summarize_reload(models, self.jobs.sink.clone());
                        if self.state.keep_before_reload(before) {
                            graphics.second = former;
                            // It was drawn onto another target.
                            graphics.invalidate();
                        }
                    }
                }
            }
            (before, _) => {
                let mut dropped = before.as_ref().map(file_options).unwrap_or_default();
                if let Some(more) = dropped.len().checked_sub(MAX_DROPPED_OPTIONS).filter(|more| *more > 0) {
                    dropped.truncate(MAX_DROPPED_OPTIONS);
                    dropped.push(format!("and {more} more"));
                }
                if !dropped.is_empty() {
                    let file = file_name(&document.scene.file);
                    let text = format!("Not kept for {file}: {}", dropped.join(" "));
                    self.state.notify(NotificationKind::Info, text);
                }
                if self.state.release_before_reload() {
                    self.jobs.comparer = None;
                    graphics.close_comparison();
                }
                drop_elsewhere(before);
                self.state.history.clear();
                document.select_named(&self.state.command_line.view.debug_view);
                graphics.gui.state.outliner.tree = Default::default();
                document.outline.open_first_levels(&mut graphics.gui.state.outliner.tree);
            }
        }
        self.state.document = Some(document);
        if let Some(label) = recorded {
            let after = edits::current_snapshot(&self.state);
            self.state.history.record(label, false, edits, after);
        }
        Ok(())
    }

    /// Starts to compare the open file with another one.
    pub(crate) fn compare_with(&mut self, file: PathBuf) {
        self.start_comparison(ComparisonState::new(file));
    }

    /// Starts to compare the open file with its version before the last reload, which is uploaded as after the loss of a context.
    pub(crate) fn compare_before_reload(&mut self) {
        let Some(version) = self.state.before_reload.take() else { return };
        self.start_comparison(ComparisonState::with_before_reload(version));
        let aspect = self.aspect();
        self.state.frame_compared_documents(aspect);
    }

    /// Shows the panel of a comparison, and starts to load its second file, unless that is in memory, and to list the differences.
    fn start_comparison(&mut self, comparison: ComparisonState) {
        self.state.close_comparison();
        self.graphics.iter_mut().for_each(Graphics::close_comparison);
        let (gpu, sink) = (self.jobs.loader.gpu.clone(), self.jobs.sink.clone());
        let file = comparison.document.is_none().then(|| comparison.file.clone());
        self.jobs.comparer = Some(Comparer::new(file, self.state.request_of_view(), gpu, sink));
        self.state.comparison = Some(comparison);
        if !self.state.settings.panels.hidden {
            self.state.settings.panels.show_tab(Tab::Compare);
        }
        self.compare_rigs();
        self.refresh();
    }

    /// Starts to list the differences of the two rigs.
    fn compare_rigs(&mut self) {
        let (Some(comparer), Some(comparison)) = (&mut self.jobs.comparer, &mut self.state.comparison) else { return };
        let document = self.state.document.as_ref();
        let version = comparison.document.as_ref().filter(|_| comparison.is_before_reload);
        if let (Some(before), Some(after)) = (version, document) {
            comparer.compare_models(before.scene.rig().shared_model(), after.scene.rig().shared_model());
        } else if let Some(first) = document.map(|document| &*document.scene.file).or(self.state.files.current()) {
            comparer.compare_files(first, &self.state.command_line.scene);
        }
        comparison.differences = None;
    }

    /// Shows the loaded second file, or an error.
    fn finish_second_load(&mut self, loaded: LoadedFile, result: Result<UploadedScene, AppError>) {
        self.refresh();
        let (Some(comparer), Some(comparison), Some(graphics)) =
            (&mut self.jobs.comparer, &mut self.state.comparison, &mut self.graphics)
        else {
            return;
        };
        comparer.loader.finish(&loaded, result.is_ok());
        comparison.is_loading = comparer.loader.file().is_some();
        let is_new = comparison.document.is_none();
        let aspect = graphics.surface.aspect();
        let scene_request = loaded.request.scene;
        let document = result.and_then(|UploadedScene { contents, models, .. }| {
            let LoadedContents::Scene(scene) = contents else {
                unreachable!("the second side has no ground of its own")
            };
            report_diagnostics(&scene);
            let document = Document::new(*scene, &scene_request, self.state.settings.frames_per_sec, aspect);
            graphics.set_second(&document, models).map(|()| document)
        });
        match document {
            Ok(document) => {
                comparison.set_document(document);
                comparer.watcher.watch(loaded.files, loaded.stamps);
                self.state.notifications.clear_errors();
                if is_new {
                    self.state.frame_compared_documents(aspect);
                } else {
                    self.compare_rigs();
                }
            }
            Err(_) if !is_new && comparer.watcher.retry(Instant::now()) => {}
            Err(error) => self.report_error(&error),
        }
    }

    fn finish_export(&mut self, export: &ExportProgress, result: Result<Vec<String>, AppError>) {
        match result {
            Ok(notices) => {
                report::notices(&notices);
                self.notify_saved(export.file.clone());
            }
            Err(AppError::Cancelled) => self.notify(NotificationKind::Info, "Export cancelled; no file was written"),
            Err(error) => self.report_error(&error),
        }
    }

    /// Reports an error on the terminal and in the window.
    fn report_error(&mut self, error: &AppError) {
        report::error(error);
        self.notify(NotificationKind::Error, report::line_of(error));
    }

    /// Reports that a file or folder cannot be opened, also in the title.
    pub(crate) fn report_open_error(&mut self, error: &AppError) {
        self.report_error(error);
        if let Some(file) = error.file() {
            self.title.show_error(file, Instant::now());
        }
    }
}

fn report_diagnostics(scene: &LoadedScene) {
    report::notices(&scene_notices(scene));
    no_mesh_notice(scene).iter().for_each(|notice| report::notice(format_args!("{notice}")));
}
