//! Cache of compiled mesh shaders.

use super::debug_view::{self, DebugViewKey};
use super::key::ShaderKey;
use super::mesh;
use crate::gpu::{Gpu, GpuError, Program};
use std::collections::HashMap;
use std::rc::Rc;

/// Compiled programs by key. A program is compiled at its first use.
#[derive(Default)]
pub(crate) struct ShaderCache {
    materials: HashMap<ShaderKey, Rc<Program>>,
    debug_views: HashMap<DebugViewKey, Rc<Program>>,
}

impl ShaderCache {
    pub(crate) fn material(&mut self, gpu: &Rc<Gpu>, key: &ShaderKey) -> Result<Rc<Program>, GpuError> {
        if let Some(program) = self.materials.get(key) {
            return Ok(Rc::clone(program));
        }
        gpu.check_new_program()?;
        let program = Rc::new(mesh::compile(gpu, key)?);
        self.materials.insert(key.clone(), Rc::clone(&program));
        Ok(program)
    }

    pub(crate) fn debug_view(&mut self, gpu: &Rc<Gpu>, key: &DebugViewKey) -> Result<Rc<Program>, GpuError> {
        if let Some(program) = self.debug_views.get(key) {
            return Ok(Rc::clone(program));
        }
        gpu.check_new_program()?;
        let program = Rc::new(debug_view::compile(gpu, key)?);
        self.debug_views.insert(key.clone(), Rc::clone(&program));
        Ok(program)
    }

    pub(crate) fn program_count(&self) -> usize {
        self.materials.len() + self.debug_views.len()
    }
}
